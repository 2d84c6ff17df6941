// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { Role } from "@/people/queries";
import { NewRolePage } from "@/roles/new-page";
import { RolePage } from "@/roles/role-page";
import { RolesPage } from "@/roles/roles-page";
import { serve, show } from "../support/portal";

const MANAGER = { permissions: ["roles:read", "roles:manage"] as never };

function role(id: string, name: string, more: Partial<Role> = {}): Role {
  return {
    id,
    name,
    description: `For ${name}`,
    preset: false,
    grants: ["platform"],
    permissions: ["tasks:read", "tasks:create"],
    user_count: 0,
    group_count: 0,
    created_at: "2026-01-01T00:00:00Z",
    version: 2,
    ...more,
  };
}

const ADMIN = role("admin", "System Admin", { preset: true });
const CUSTOM = role("r1", "trainer", { user_count: 2, group_count: 1 });

const PERMISSIONS = {
  kinds: [
    { name: "platform", permissions: ["tasks:read", "tasks:create", "images:read"] },
    { name: "annotation", permissions: ["images:read"] },
    { name: "administration", permissions: ["audit:read", "users:read"] },
  ],
  permissions: [
    { name: "audit:read", kinds: ["administration"] },
    { name: "images:read", kinds: ["platform", "annotation"] },
    { name: "tasks:create", kinds: ["platform"] },
    { name: "tasks:read", kinds: ["platform"] },
    { name: "users:read", kinds: ["administration"] },
  ],
};

const listed = { "GET /api/v1/roles": () => ({ items: [ADMIN, CUSTOM], next_cursor: null }) };
const sent = (asked: Request[], method: string) => asked.filter((request) => request.method === method);
const names = (row: HTMLElement) =>
  within(row)
    .getAllByRole("button")
    .map((button) => button.getAttribute("aria-label"));

describe("the list of roles", () => {
  test("has name, description, type and actions; a preset one is never deleted", async () => {
    serve(listed);
    await show(<RolesPage />, { at: "/roles", session: MANAGER });
    const custom = (await screen.findByText("trainer")).closest("tr") as HTMLElement;
    const preset = screen.getByText("System Admin").closest("tr") as HTMLElement;
    expect(screen.getAllByRole("columnheader").map((heading) => heading.textContent)).toEqual([
      "Role name",
      "Description",
      "Type",
      "Actions",
    ]);
    expect(preset.textContent).toContain("Preset");
    expect(custom.textContent).toContain("Custom");
    expect(names(preset)).toEqual(["Link users: System Admin", "Link groups: System Admin"]);
    expect(names(custom)).toEqual(["Link users: trainer", "Link groups: trainer", "Delete: trainer"]);
  });

  test("offers nothing to who may only look", async () => {
    serve(listed);
    await show(<RolesPage />, { at: "/roles", session: { permissions: ["roles:read"] as never } });
    const custom = (await screen.findByText("trainer")).closest("tr") as HTMLElement;
    expect(within(custom).queryAllByRole("button")).toEqual([]);
    expect(screen.queryByRole("link", { name: "New role" })).toBeNull();
  });

  test("a deletion says how many lose it, and is of what was looked at", async () => {
    const asked = serve({
      ...listed,
      "DELETE /api/v1/roles/r1": () => new Response(null, { status: 204 }),
    });
    await show(<RolesPage />, { at: "/roles", session: MANAGER });
    await userEvent.click(await screen.findByRole("button", { name: "Delete: trainer" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("2 users and 1 group lose what it gives at once.");
    expect(sent(asked, "DELETE")).toEqual([]);
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(sent(asked, "DELETE")[0]?.headers.get("if-match")).toBe('"2"');
  });

  test("users are linked by a few letters, several at once", async () => {
    const found = [
      { id: "u1", name: "ada", nickname: "Ada" },
      { id: "u2", name: "adam", nickname: "Adam" },
    ];
    const asked = serve({
      ...listed,
      "GET /api/v1/users": () => ({ items: found, next_cursor: null }),
      "POST /api/v1/roles/r1/users": () => CUSTOM,
    });
    await show(<RolesPage />, { at: "/roles", session: MANAGER });
    await userEvent.click(await screen.findByRole("button", { name: "Link users: trainer" }));
    const field = await screen.findByRole("combobox");
    for (const nickname of ["Ada", "Adam"]) {
      await userEvent.type(field, "ad");
      await waitFor(() => expect(asked.some((request) => request.url.includes("words=ad"))).toBe(true));
      await userEvent.click(await screen.findByText(nickname));
    }
    await userEvent.click(screen.getByRole("button", { name: "Add" }));
    await waitFor(() => expect(sent(asked, "POST")).toHaveLength(1));
    expect(await sent(asked, "POST")[0]?.json()).toEqual({ users: ["u1", "u2"] });
  });
});

describe("a role", () => {
  test("says what it lets its holders do, in words, and who they are", async () => {
    serve({
      // These tests have one route for all addresses, so the page finds no id in its own.
      "GET /api/v1/roles/": () => CUSTOM,
      "GET /api/v1/roles/r1/users": () => ({ items: [{ id: "u1", name: "ada", nickname: "Ada" }], next_cursor: null }),
      "GET /api/v1/roles/r1/groups": () => ({ items: [{ id: "g1", name: "vision" }], next_cursor: null }),
    });
    await show(<RolePage />, { at: "/roles/r1", session: MANAGER });
    expect(await screen.findByRole("heading", { name: "trainer" })).toBeDefined();
    expect(screen.getByText("AI platform")).toBeDefined();
    expect(screen.getByText("Start tasks")).toBeDefined();
    expect((await screen.findByRole("link", { name: "ada" })).getAttribute("href")).toBe("/users/u1");
    expect((await screen.findByRole("link", { name: "vision" })).getAttribute("href")).toBe("/groups/g1");
    expect(screen.getByRole("button", { name: "Take ada out" })).toBeDefined();
  });
});

describe("a new role", () => {
  const step = () => screen.getByRole("list", { name: "Steps" }).querySelector("[aria-current]")?.textContent;
  const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

  test("takes name, description and permissions, of which the platform brings annotation along", async () => {
    const asked = serve({
      "GET /api/v1/permissions": () => PERMISSIONS,
      "POST /api/v1/roles": () => ({ ...CUSTOM, id: "r9" }),
    });
    const { router } = await show(<NewRolePage />, { at: "/roles/new", session: MANAGER });
    await userEvent.type(await screen.findByLabelText("Role name"), " trainer ");
    await press("Next");
    await waitFor(() => expect(step()).toContain("Description"));
    await userEvent.type(screen.getByLabelText("Description"), "They train");
    await press("Next");
    await waitFor(() => expect(step()).toContain("Permissions"));
    await press("Submit");
    expect(await screen.findByText("Choose at least one.")).toBeDefined();

    const annotation = screen.getByRole<HTMLInputElement>("checkbox", { name: /^Annotation platform/ });
    await userEvent.click(screen.getByRole("checkbox", { name: /^AI platform/ }));
    expect([annotation.checked, annotation.disabled]).toEqual([true, true]);
    await userEvent.click(screen.getByText("Finer permissions"));
    const single = screen.getByRole<HTMLInputElement>("checkbox", { name: /^Start tasks/ });
    expect([single.checked, single.disabled]).toEqual([true, true]);
    await userEvent.click(screen.getByRole("checkbox", { name: /^See the audit/ }));
    await press("Submit");
    await waitFor(() => expect(router.state.location.pathname).toBe("/roles/r9"));
    expect(await sent(asked, "POST")[0]?.json()).toEqual({
      name: "trainer",
      description: "They train",
      grants: ["platform", "audit:read"],
    });
  });
});
