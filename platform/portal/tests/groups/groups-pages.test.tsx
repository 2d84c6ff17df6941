// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { GroupPage } from "@/groups/group-page";
import { GroupsPage } from "@/groups/groups-page";
import { NewGroupPage } from "@/groups/new-page";
import type { Group } from "@/people/queries";
import { problem, serve, show } from "../support/portal";

const MANAGER = { permissions: ["groups:read", "groups:manage", "roles:read"] as never };

const GROUP: Group = {
  id: "g1",
  name: "vision",
  description: "People who see",
  created_at: "2026-01-01T00:00:00Z",
  version: 3,
  roles: [{ id: "user", name: "User" }],
  user_count: 2,
  virtual_clusters: [{ id: "v1", name: "default" }],
};

const listed = (...items: Group[]) => ({ "GET /api/v1/groups": () => ({ items, next_cursor: null }) });
const sent = (asked: Request[], method: string) => asked.filter((request) => request.method === method);

describe("the list of groups", () => {
  test("has name, description, age and actions", async () => {
    serve(listed(GROUP));
    await show(<GroupsPage />, { at: "/groups", session: MANAGER });
    const row = (await screen.findByText("vision")).closest("tr") as HTMLElement;
    expect(screen.getAllByRole("columnheader").map((heading) => heading.textContent)).toEqual([
      "Group name",
      "Description",
      "Created",
      "Actions",
    ]);
    expect(within(row).getByRole("link", { name: "vision" }).getAttribute("href")).toBe("/groups/g1");
    expect(
      within(row)
        .getAllByRole("button")
        .map((button) => button.getAttribute("aria-label")),
    ).toEqual(["Add users: vision", "Delete: vision"]);
  });

  test("without a group it says what one is, and offers the first step to who may take it", async () => {
    serve(listed());
    const { unmount } = await show(<GroupsPage />, { at: "/groups", session: MANAGER });
    expect(await screen.findByText("No group yet")).toBeDefined();
    expect(screen.getAllByRole("link", { name: "New group" }).length).toBe(2);
    unmount();
    await show(<GroupsPage />, { at: "/groups", session: { permissions: ["groups:read"] as never } });
    expect(await screen.findByText("No group yet")).toBeDefined();
    expect(screen.queryByRole("link", { name: "New group" })).toBeNull();
  });

  test("a deletion says how many users lose something, and is of what was looked at", async () => {
    const asked = serve({
      ...listed(GROUP),
      "DELETE /api/v1/groups/g1": () => new Response(null, { status: 204 }),
    });
    await show(<GroupsPage />, { at: "/groups", session: MANAGER });
    await userEvent.click(await screen.findByRole("button", { name: "Delete: vision" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("Its 2 users stay");
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(sent(asked, "DELETE")[0]?.headers.get("if-match")).toBe('"3"');
  });
});

describe("the page of a group", () => {
  const members = {
    // These tests have one route for all addresses, so the page finds no id in its own.
    "GET /api/v1/groups/": () => GROUP,
    "GET /api/v1/groups/g1/users": () => ({
      items: [{ id: "u1", name: "ada", nickname: "Ada" }],
      next_cursor: null,
    }),
  };

  test("shows what it is, its roles and its users, and takes one out after asking", async () => {
    const asked = serve({
      ...members,
      "DELETE /api/v1/groups/g1/users/u1": () => new Response(null, { status: 204 }),
    });
    await show(<GroupPage />, { at: "/groups/g1", session: MANAGER });
    expect(await screen.findByText("People who see")).toBeDefined();
    expect(screen.getByRole("link", { name: "User" }).getAttribute("href")).toBe("/roles/user");
    await userEvent.click(await screen.findByRole("button", { name: "Take ada out" }));
    const dialog = await screen.findByRole("dialog");
    expect(sent(asked, "DELETE")).toEqual([]);
    await userEvent.click(within(dialog).getByRole("button", { name: "Take out" }));
    await waitFor(() => expect(sent(asked, "DELETE")).toHaveLength(1));
  });

  test("tells why a user was not taken out", async () => {
    serve({ ...members, "DELETE /api/v1/groups/g1/users/u1": () => problem(403, "not_allowed") });
    await show(<GroupPage />, { at: "/groups/g1", session: MANAGER });
    await userEvent.click(await screen.findByRole("button", { name: "Take ada out" }));
    await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Take out" }));
    expect(await screen.findByText("ada was not taken out of vision")).toBeDefined();
  });

  test("offers nothing to who may only look", async () => {
    serve(members);
    await show(<GroupPage />, { at: "/groups/g1", session: { permissions: ["groups:read"] as never } });
    expect(await screen.findByText("ada")).toBeDefined();
    expect(screen.queryAllByRole("button")).toEqual([]);
  });
});

describe("a new group", () => {
  test("takes name, description and a role, and shows them before it is made", async () => {
    const user = { ...GROUP.roles[0], description: "All of it", preset: true, grants: [], permissions: [] };
    const asked = serve({
      "GET /api/v1/roles": () => ({ items: [user], next_cursor: null }),
      "GET /api/v1/roles/user": () => user,
      "POST /api/v1/groups": () => ({ ...GROUP, id: "g9" }),
    });
    const { router } = await show(<NewGroupPage />, { at: "/groups/new", session: MANAGER });
    const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
    await userEvent.type(await screen.findByLabelText("Group name"), " vision ");
    await userEvent.type(screen.getByLabelText("Description"), "People who see");
    await press("Next");
    await userEvent.click(await screen.findByRole("checkbox", { name: /^User/ }));
    await press("Next");
    const confirm = await screen.findByRole("region", { name: /Confirm/ });
    await waitFor(() => expect(confirm.textContent).toContain("People who see"));
    expect(confirm.textContent).toContain("User");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: "Submit" })));
    await press("Submit");
    await waitFor(() => expect(router.state.location.pathname).toBe("/groups/g9"));
    expect(await sent(asked, "POST")[0]?.json()).toEqual({
      name: "vision",
      description: "People who see",
      roles: ["user"],
    });
  });
});
