// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { NewUsersPage } from "@/users/new-page";
import { problem, serve, show } from "../support/portal";

const ADMINISTRATOR = { permissions: ["users:read", "users:manage", "roles:read", "groups:read"] as never };

const role = (id: string, name: string) => ({
  id,
  name,
  description: `What ${name} is for`,
  preset: true,
  grants: [],
  permissions: [],
  user_count: 0,
  group_count: 0,
  created_at: "2026-01-01T00:00:00Z",
  version: 1,
});
const ROLES = [role("admin", "System Admin"), role("user", "User"), role("annotator", "Annotation person")];

const others = {
  "GET /api/v1/roles": () => ({ items: ROLES, next_cursor: null }),
  "GET /api/v1/roles/user": () => ROLES[1],
  "GET /api/v1/groups": () => ({ items: [], next_cursor: null }),
};

const posts = (asked: Request[]) => asked.filter((request) => request.method === "POST");
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
const step = () => screen.getByRole("list", { name: "Steps" }).querySelector("[aria-current]")?.textContent;
const item = (label: string, at = 0) =>
  screen.getAllByLabelText(label)[at]?.closest(".ant-form-item")?.textContent ?? "";

async function open() {
  const view = await show(<NewUsersPage />, { at: "/users/new", session: ADMINISTRATOR });
  await screen.findByLabelText("User name");
  return view;
}

async function person(name: string, nickname: string, at = 0) {
  await userEvent.type(screen.getAllByLabelText("User name")[at] as HTMLElement, name);
  await userEvent.type(screen.getAllByLabelText("Nickname")[at] as HTMLElement, nickname);
}

async function toConfirm() {
  await press("Next");
  await userEvent.click(await screen.findByRole("checkbox", { name: /^User/ }));
  await press("Next");
  await waitFor(() => expect(step()).toContain("Confirm"));
}

describe("new users in three steps", () => {
  test("need a user name and a nickname, and at least one role", async () => {
    await serveAndOpen();
    await press("Next");
    await waitFor(() => expect(item("User name")).toContain("This is needed."));
    expect(item("Nickname")).toContain("This is needed.");
    expect(item("Phone")).not.toContain("This is needed.");
    expect(step()).toContain("User information");
    await person("ada", "Ada");
    await press("Next");
    await waitFor(() => expect(step()).toContain("Roles"));
    await press("Next");
    expect(await screen.findByText("Choose at least one role.")).toBeDefined();
    expect(step()).toContain("Roles");
  });

  test("keep what was typed on the way back, the proposed password too", async () => {
    await serveAndOpen();
    await person("ada", "Ada");
    await toConfirm();
    const proposed = (screen.getByLabelText("Initial password of ada") as HTMLInputElement).value;
    expect(proposed).toMatch(/^[A-Za-z0-9]{16}$/);
    await press("Back");
    await press("Back");
    expect((screen.getByLabelText("User name") as HTMLInputElement).value).toBe("ada");
    await press("Next");
    expect((await screen.findByRole<HTMLInputElement>("checkbox", { name: /^User/ })).checked).toBe(true);
    await press("Next");
    await waitFor(() => expect(step()).toContain("Confirm"));
    expect((screen.getByLabelText("Initial password of ada") as HTMLInputElement).value).toBe(proposed);
  });

  test("are sent all at once, each with the password that stands there", async () => {
    const asked = serve({ ...others, "POST /api/v1/users/batch": () => ({ items: [{}, {}] }) });
    const { router } = await open();
    await person("ada", "Ada");
    await press("Add another user");
    await person("eve", "Eve", 1);
    await toConfirm();
    const field = screen.getByLabelText("Initial password of eve");
    await userEvent.clear(field);
    await userEvent.type(field, "typed by hand");
    const proposed = (screen.getByLabelText("Initial password of ada") as HTMLInputElement).value;
    await press("Submit");
    await waitFor(() => expect(router.state.location.pathname).toBe("/users"));
    expect(await posts(asked)[0]?.json()).toEqual({
      users: [
        { name: "ada", nickname: "Ada", password: proposed },
        { name: "eve", nickname: "Eve", password: "typed by hand" },
      ],
      roles: ["user"],
    });
  });

  test("are ten at most", async () => {
    await serveAndOpen();
    for (let count = 1; count < 10; count += 1) await press("Add another user");
    expect(screen.getAllByLabelText("User name")).toHaveLength(10);
    expect(screen.getByRole("button", { name: "Add another user" }).hasAttribute("disabled")).toBe(true);
    await press("Take user 4 out");
    expect(screen.getAllByLabelText("User name")).toHaveLength(9);
    expect(screen.getByRole("button", { name: "Add another user" }).hasAttribute("disabled")).toBe(false);
  });

  test("lead back to the step and the field of what the server refuses", async () => {
    const errors = [
      { field: "users.1.name", code: "string_too_long", message: "", params: { max_length: 3 } },
    ] as unknown as Schemas["FieldError"][];
    serve({ ...others, "POST /api/v1/users/batch": () => problem(409, "name_taken", { errors }) });
    await open();
    await person("ada", "Ada");
    await press("Add another user");
    await person("evelyn", "Eve", 1);
    await toConfirm();
    await press("Submit");
    await waitFor(() => expect(step()).toContain("User information"));
    await waitFor(() => expect(item("User name", 1)).toContain("At most 3 characters."));
    expect(item("User name", 0)).not.toContain("At most");
    await waitFor(() => expect(document.activeElement).toBe(screen.getAllByLabelText("User name")[1]));
  });

  test("tell a refusal of the whole without losing anything", async () => {
    serve({ ...others, "POST /api/v1/users/batch": () => problem(403, "not_allowed") });
    await open();
    await person("ada", "Ada");
    await toConfirm();
    await press("Submit");
    expect(await screen.findByText("The users were not made")).toBeDefined();
    expect(step()).toContain("Confirm");
    expect(screen.getByText("Ada")).toBeDefined();
  });

  test("who stands there twice is told so before anything is sent", async () => {
    await serveAndOpen();
    await person("ada", "Ada");
    await press("Add another user");
    await person("ada", "Other", 1);
    await press("Next");
    await waitFor(() => expect(item("User name", 1)).toContain("This name stands above already."));
    expect(item("User name", 0)).not.toContain("stands above");
    expect(step()).toContain("User information");
  });

  test("are not for who may only look", async () => {
    serve(others);
    await show(<NewUsersPage />, { at: "/users/new", session: { permissions: ["users:read"] as never } });
    expect(await screen.findByText("You may not see this")).toBeDefined();
    expect(screen.queryByLabelText("User name")).toBeNull();
  });

  test("leaving with something typed asks, leaving an empty form does not", async () => {
    serve(others);
    const empty = await open();
    await press("Cancel");
    await waitFor(() => expect(empty.router.state.location.pathname).toBe("/users"));
    empty.unmount();
    const { router } = await open();
    await person("ada", "Ada");
    await press("Cancel");
    const dialog = await screen.findByRole("dialog");
    expect(router.state.location.pathname).toBe("/users/new");
    await userEvent.click(within(dialog).getByRole("button", { name: "Leave" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/users"));
  });

  test("the focus is at the first field of each step, and Enter goes on", async () => {
    await serveAndOpen();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("User name")));
    await userEvent.keyboard("ada");
    await userEvent.tab();
    await userEvent.keyboard("Ada{Enter}");
    await waitFor(() => expect(document.activeElement).toBe(screen.getAllByRole("checkbox")[0]));
    await userEvent.tab();
    await userEvent.keyboard(" ");
    await press("Next");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Initial password of ada")));
  });
});

async function serveAndOpen() {
  serve(others);
  return open();
}
