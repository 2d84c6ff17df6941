// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { Account } from "@/people/queries";
import { UsersPage } from "@/users/users-page";
import { problem, serve, show } from "../support/portal";

const ADMINISTRATOR = { permissions: ["users:read", "users:manage"] as never };

function account(name: string, more: Partial<Account> = {}): Account {
  return {
    id: `id-${name}`,
    name,
    nickname: `Miss ${name}`,
    phone: "",
    email: "",
    uid: 30001,
    roles: [{ id: "user", name: "User" }],
    groups: [],
    virtual_clusters: [],
    protected: false,
    home: `/home/${name}`,
    active: true,
    must_change_password: false,
    version: 7,
    sessions: 1,
    access_tokens: 0,
    unfinished_tasks: 0,
    created_at: "2026-01-01T00:00:00Z",
    ...more,
  };
}

const listed = (...items: Account[]) => ({ "GET /api/v1/users": () => ({ items, next_cursor: null }) });

const ABOUT = { "GET /api/v1/about": () => ({ ways_in: ["microsoft"] }) };
const RESET = {
  "POST /api/v1/users/id-ada/reset-password": () => ({
    account: account("ada"),
    password: "abcde-fghjk-mnpqr",
    ways: ["microsoft"],
  }),
};

async function choose(name: string, entry: string) {
  const opener = () => screen.getByRole("button", { name: `Actions for ${name}` });
  await waitFor(() => expect(opener().hasAttribute("disabled")).toBe(false)); // until its menu is loaded
  await userEvent.click(opener());
  await userEvent.click(await screen.findByText(entry));
  return screen.findByRole("dialog");
}

describe("the page of users", () => {
  test("says who may sign in, and that the tasks of a disabled user go on", async () => {
    serve(listed(account("ada"), account("eve", { active: false, unfinished_tasks: 2 })));
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    const eve = (await screen.findByText("eve")).closest("tr") as HTMLElement;
    expect(within(eve).getByText("Disabled")).toBeDefined();
    expect(within(eve).getByText("2 tasks go on")).toBeDefined();
  });

  test("offers no action to who may only read", async () => {
    serve(listed(account("ada")));
    await show(<UsersPage />, { at: "/users", session: { permissions: ["users:read"] as never } });
    await screen.findByText("ada");
    expect(screen.queryByRole("button", { name: "Actions for ada" })).toBeNull();
  });

  test("disables what was looked at, asks first, and stops tasks only when told to", async () => {
    const asked = serve({
      ...listed(account("ada", { unfinished_tasks: 1 })),
      "POST /api/v1/users/id-ada/disable": () => account("ada", { active: false }),
    });
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    const dialog = await choose("ada", "Disable");
    expect(within(dialog).getByText(/It goes on unless you stop it/)).toBeDefined();
    expect(dialog.textContent).toContain("Its roles, groups and virtual clusters are kept");
    expect(asked.some((request) => request.method === "POST")).toBe(false);
    await userEvent.click(within(dialog).getByRole("checkbox", { name: "Stop all tasks of this user, too" }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Disable" }));
    await waitFor(() => expect(asked.some((request) => request.method === "POST")).toBe(true));
    const sent = asked.find((request) => request.method === "POST") as Request;
    expect(await sent.json()).toEqual({ stop_tasks: true });
    expect(sent.headers.get("if-match")).toBe('"7"');
  });

  test("shows a one-time password until it is noted, and then no more", async () => {
    const asked = serve({ ...ABOUT, ...listed(account("ada")), ...RESET });
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    const question = await choose("ada", "Reset password");
    await userEvent.click(within(question).getByRole("button", { name: "Reset password" }));
    expect(await screen.findByText("abcde-fghjk-mnpqr")).toBeDefined();
    const sent = asked.find(({ method }) => method === "POST") as Request;
    expect(await sent.json()).toEqual({ end_links: true });
    await userEvent.click(screen.getByRole("button", { name: "I have noted it" }));
    await waitFor(() => expect(screen.queryByText("abcde-fghjk-mnpqr")).toBeNull());
  });

  test("leaves links with providers only where whoever resets a password says so", async () => {
    const asked = serve({ ...ABOUT, ...listed(account("ada")), ...RESET });
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    const question = await choose("ada", "Reset password");
    const box = within(question).getByRole("checkbox", { name: "End their links with other providers, too" });
    expect((box as HTMLInputElement).checked).toBe(true);
    await userEvent.click(box);
    await userEvent.click(within(question).getByRole("button", { name: "Reset password" }));
    expect(await screen.findByText("abcde-fghjk-mnpqr")).toBeDefined();
    const sent = asked.find(({ method }) => method === "POST") as Request;
    expect(await sent.json()).toEqual({ end_links: false });
  });

  test("has the columns that the manual names, and name and nickname lead to the user", async () => {
    serve(listed(account("ada", { phone: "123", email: "ada@example.org" })));
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    const row = (await screen.findByText("ada")).closest("tr") as HTMLElement;
    expect(screen.getAllByRole("columnheader").map((heading) => heading.textContent)).toEqual([
      "User name",
      "Nickname",
      "Phone",
      "E-mail",
      "Roles",
      "State",
      "Actions",
    ]);
    for (const name of ["ada", "Miss ada"])
      expect(within(row).getByRole("link", { name }).getAttribute("href")).toBe("/users/id-ada");
    expect(row.textContent).toContain("123");
    expect(row.textContent).toContain("ada@example.org");
  });

  test("of the protected account only the password can be reset, and it says why", async () => {
    serve(listed(account("admin", { protected: true }), account("ada")));
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    const row = (await screen.findByText("admin")).closest("tr") as HTMLElement;
    expect(
      within(row)
        .getAllByRole("button")
        .map((button) => button.getAttribute("aria-label")),
    ).toEqual([expect.stringMatching(/^The installation made this account\./), "Reset password: admin"]);
    expect(screen.getByRole("button", { name: "Edit roles: ada" })).toBeDefined();
  });

  test("whoever is the protected account changes the password as everybody does", async () => {
    serve(listed(account("admin", { protected: true })));
    const own = { id: "id-admin", name: "admin", nickname: "", roles: [] };
    await show(<UsersPage />, { at: "/users", session: { ...ADMINISTRATOR, user: own as never } });
    expect((await screen.findByRole("link", { name: "Change password" })).getAttribute("href")).toBe("/password");
    expect(screen.queryByRole("button", { name: "Reset password: admin" })).toBeNull();
  });

  test("deletes only with the tasks that have not ended, and says where the files stay", async () => {
    const asked = serve({
      ...listed(account("ada", { unfinished_tasks: 2 })),
      "POST /api/v1/users/id-ada/delete": () => new Response(null, { status: 204 }),
    });
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    await userEvent.click(await screen.findByRole("button", { name: "Delete: ada" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("Files stay in /home/ada");
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await within(dialog).findByText(/Tick this to go on/)).toBeDefined();
    expect(asked.some((request) => request.method === "POST")).toBe(false);
    await userEvent.click(within(dialog).getByRole("checkbox"));
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    const sent = asked.find((request) => request.method === "POST") as Request;
    expect(await sent.json()).toEqual({ stop_tasks: true });
    expect(sent.headers.get("if-match")).toBe('"7"');
  });

  test("tasks that began meanwhile are told, and asked about", async () => {
    serve({
      ...listed(account("ada")),
      "POST /api/v1/users/id-ada/delete": () => problem(409, "unfinished_tasks", { params: { count: 3 } }),
    });
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    await userEvent.click(await screen.findByRole("button", { name: "Delete: ada" }));
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).queryByRole("checkbox")).toBeNull();
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await within(dialog).findByText("3 tasks of this user have not ended.")).toBeDefined();
    expect(within(dialog).getByRole("checkbox")).toBeDefined();
  });

  test("filters that nothing fits are taken away together", async () => {
    serve({
      "GET /api/v1/users": (request) => ({
        items: request.url.includes("words=") ? [] : [account("ada")],
        next_cursor: null,
      }),
    });
    const { router } = await show(<UsersPage />, { at: "/users?words=nobody&active=false", session: ADMINISTRATOR });
    await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(await screen.findByText("ada")).toBeDefined();
    expect(router.state.location.search).toEqual({});
  });

  test("tells why the server refuses", async () => {
    serve({
      ...listed(account("ada")),
      "POST /api/v1/users/id-ada/end-sessions": () => problem(412, "changed_meanwhile"),
    });
    await show(<UsersPage />, { at: "/users", session: ADMINISTRATOR });
    const question = await choose("ada", "End sessions");
    await userEvent.click(within(question).getByRole("button", { name: "End sessions" }));
    expect(await screen.findByText("ada was not signed out")).toBeDefined();
  });
});
