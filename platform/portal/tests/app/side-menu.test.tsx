// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test } from "vitest";
import { SideMenu } from "@/app/side-menu";
import { TopBar } from "@/app/top-bar";
import { Preferences } from "@/appearance/preferences";
import { UserMenu } from "@/identity/user-menu";
import { serve, show } from "../support/portal";

const about = { engine: "kubernetes", version: "1", product: "Atoll", cluster: "demo" };
const ADMIN = [
  "overview:read",
  "tasks:read",
  "nodes:read",
  "services:read",
  "runs:read",
  "virtual_clusters:manage",
  "users:read",
  "groups:read",
  "roles:read",
  "settings:read",
] as never;
const USER = ["overview:read", "tasks:read", "settings:read"] as never;

async function menu(permissions: never, at = "/overview", engine = "kubernetes", collapsed = false) {
  serve({ "GET /api/v1/about": () => ({ ...about, engine }) });
  const view = await show(<SideMenu collapsed={collapsed} />, { at, session: { permissions } });
  const nav = await screen.findByRole("navigation", { name: "Main menu" });
  await waitFor(() => expect(within(nav).getAllByRole("link").length).toBeGreaterThan(0));
  return { nav, ...view };
}
const links = (nav: HTMLElement) =>
  within(nav)
    .getAllByRole("link")
    .map((link) => link.textContent);
const folder = (nav: HTMLElement, name: string) => within(nav).getByRole("button", { name });

afterEach(() => localStorage.clear());

test("an administrator sees every menu that has a page, in the manual's order", async () => {
  const { nav } = await menu(ADMIN);
  await waitFor(() => expect(links(nav)).toContain("Services"));
  expect(links(nav)).toEqual([
    "Overview",
    "Training",
    "Nodes",
    "Virtual clusters",
    "Services",
    "Ports",
    "Installer runs",
    "Settings",
    "Console",
    "Users",
    "Groups",
    "Roles",
  ]);
  expect(
    within(nav)
      .getAllByRole("button")
      .map((button) => button.textContent),
  ).toEqual(["Model training", "Resource monitoring", "Visual operations", "User management"]);
});

test("a user sees nothing of administration, and no menu that would be empty", async () => {
  const { nav } = await menu(USER);
  expect(links(nav)).toEqual(["Overview", "Training", "Settings"]);
  expect(within(nav).getAllByRole("button")).toHaveLength(1);
});

test("what only an installed cluster has is not shown without one", async () => {
  const { nav } = await menu(ADMIN, "/overview", "local");
  expect(links(nav)).not.toContain("Services");
  expect(within(nav).queryByRole("button", { name: "Visual operations" })).toBeNull();
});

test("a menu is closed and opened by its name, and stays so", async () => {
  const { nav, unmount } = await menu(USER);
  const training = folder(nav, "Model training");
  expect(training.getAttribute("aria-expanded")).toBe("true");
  await userEvent.click(training);
  expect(training.getAttribute("aria-expanded")).toBe("false");
  expect(training.parentElement?.className).toBe("side-closed");
  unmount();
  const again = await menu(USER);
  expect(folder(again.nav, "Model training").getAttribute("aria-expanded")).toBe("false");
  await userEvent.click(folder(again.nav, "Model training"));
  again.unmount();
  const open = await menu(USER);
  expect(folder(open.nav, "Model training").getAttribute("aria-expanded")).toBe("true");
});

test("whoever comes to a page sees where it stands, though its menu was closed", async () => {
  localStorage.setItem("atoll.menu.closed", "model_training user_management");
  const { nav } = await menu(ADMIN, "/training/17");
  expect(folder(nav, "Model training").getAttribute("aria-expanded")).toBe("true");
  expect(folder(nav, "User management").getAttribute("aria-expanded")).toBe("false");
  expect(within(nav).getByRole("link", { name: "Training" }).getAttribute("aria-current")).toBe("page");
});

test("a page whose address begins like another's does not open the other's menu", async () => {
  localStorage.setItem("atoll.menu.closed", "model_training");
  const { nav } = await menu(ADMIN, "/training-plans");
  expect(folder(nav, "Model training").getAttribute("aria-expanded")).toBe("false");
});

test("as a strip of icons each page says its name on hover", async () => {
  const { nav, unmount } = await menu(USER, "/overview", "local", true);
  expect(within(nav).getByRole("link", { name: "Training" }).getAttribute("title")).toBe("Training");
  unmount();
  const open = await menu(USER);
  expect(within(open.nav).getByRole("link", { name: "Training" }).getAttribute("title")).toBeNull();
});

test("the bar leads who manages people to user management, and nobody else; it names who is signed in", async () => {
  const answers = {
    "GET /api/v1/about": () => ({ ...about, engine: "local" }),
    "GET /api/v1/overview": () => ({ tasks: [], recent: [], virtual_clusters: [], nodes: null, attention: [] }),
  };
  serve(answers);
  const bar = (
    <Preferences>
      <TopBar onSearch={() => undefined} />
    </Preferences>
  );
  const { unmount } = await show(bar, { session: { permissions: ["overview:read", "users:read"] as never } });
  expect((await screen.findByRole("link", { name: "User management" })).getAttribute("href")).toBe("/user-management");
  expect((await screen.findByRole("button", { name: "Account of ada" })).textContent).toContain("ada");
  unmount();
  await show(bar, { session: { permissions: ["overview:read"] as never } });
  await screen.findByRole("button", { name: "Account of ada" });
  expect(screen.queryByRole("link", { name: "User management" })).toBeNull();
});

test("the button of the account is called by all that it shows", async () => {
  serve({ "GET /api/v1/about": () => about });
  await show(
    <Preferences>
      <UserMenu />
    </Preferences>,
    { session: { user: { id: "1", name: "ada", nickname: "Lady Ada", roles: [] } as never } },
  );
  const button = await screen.findByRole("button", { name: "Account of ada, Lady Ada" });
  expect(button.textContent).toBe("Lady Ada"); // the letter beside it is drawn, not written
});
