// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { ConsolePage } from "@/people/console-page";
import { serve, show } from "../support/portal";

const counts = { "GET /api/v1/user-management": () => ({ users: 12, waiting: 0, groups: 0, roles: 3 }) };
const ALL = ["users:read", "groups:read", "roles:read", "users:manage", "groups:manage", "roles:manage"];

test("the console counts users, groups and roles and leads to each and to a new one", async () => {
  serve(counts);
  await show(<ConsolePage />, { at: "/user-management", session: { permissions: ALL as never } });
  expect(await screen.findByText("12")).toBeDefined();
  expect(screen.getByText("0")).toBeDefined();
  expect(screen.getByText("3")).toBeDefined();
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
    "/users/new",
    "/users",
    "/groups/new",
    "/groups",
    "/roles/new",
    "/roles",
  ]);
});

test("the console leads to those who wait for their rights, where somebody does", async () => {
  serve({ "GET /api/v1/user-management": () => ({ users: 12, waiting: 2, groups: 0, roles: 3 }) });
  await show(<ConsolePage />, { at: "/user-management", session: { permissions: ALL as never } });
  const waiting = await screen.findByRole("link", { name: "2 wait for rights" });
  expect(waiting.getAttribute("href")).toBe("/users?waiting=true");
});

test("the console shows what may be seen, and makes what may be made", async () => {
  serve(counts);
  await show(<ConsolePage />, {
    at: "/user-management",
    session: { permissions: ["groups:read", "roles:read", "roles:manage"] as never },
  });
  await screen.findByText("3");
  expect(screen.queryByText("12")).toBeNull();
  expect(screen.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
    "/groups",
    "/roles/new",
    "/roles",
  ]);
});

test("the console is closed to who administers nobody, and asks the server nothing", async () => {
  const asked = serve(counts);
  await show(<ConsolePage />, { at: "/user-management", session: { permissions: ["tasks:read"] as never } });
  expect(await screen.findByText("You may not see this")).toBeDefined();
  expect(asked).toEqual([]);
});
