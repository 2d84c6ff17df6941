/** What stands for routes of the portal on a `./atoll dev`: those with parameters, and views that are worth a look. */
import type { Page } from "@playwright/test";
import type { Places } from "../addresses.ts";
import { viewsOf } from "../pages.ts";
import { api, expect, headerState, start, unique } from "../portal.ts";
import { addMember, clusterName, makeCluster } from "./clusters.ts";
import { makeGroup, makeRole } from "./people.ts";

/** Somebody else's account, whose page shows all that an account may have. */
async function another(page: Page): Promise<string[]> {
  await page.goto("/users");
  const made = { name: clusterName("seen"), nickname: "Seen", password: unique("Password") };
  const body = { ...made, roles: ["user"], virtual_clusters: ["default"] };
  const { id } = await api<{ id: string }>(page, "/users", "POST", body);
  return [`/users/${id}`];
}

/** The page of the administrator who looks, and that of another one. */
async function accounts(page: Page): Promise<string[]> {
  const [other = ""] = await another(page);
  const { user } = await api<{ user: { id: string } }>(page, "/session");
  return [`/users/${user.id}`, other];
}

/** A task that has ended, with its curves and files. */
async function ended(page: Page): Promise<string[]> {
  const task = await start(page, { name: unique("seen"), example: "digits", parameters: { epochs: "3" } });
  await expect(headerState(page, "Finished")).toBeVisible({ timeout: 60_000 });
  return viewsOf(task);
}

/** An address that knows a task and not its kind. */
async function newest(page: Page): Promise<string[]> {
  await page.goto("/overview");
  const { items } = await api<{ items: { id: string }[] }>(page, "/tasks?limit=1");
  return items.map(({ id }) => `/tasks/${id}`);
}

/** A virtual cluster with devices, bounds and a member. */
async function cluster(page: Page): Promise<string[]> {
  const path = await makeCluster(page, clusterName("seen"), { gpus: 2, most: 1, hours: 24 });
  await addMember(page, "Users", "admin");
  return [path];
}

/** The form of such a one: that of the family's page before it. */
async function form(page: Page): Promise<string[]> {
  await page.goto("/virtual-clusters");
  const { items } = await api<{ items: { id: string; name: string }[] }>(page, "/virtual-clusters?limit=200");
  const seen = items.filter(({ name }) => name.startsWith("seen-")).slice(-1);
  return seen.map(({ id }) => `/virtual-clusters/${id}/edit`);
}

/** The record of the audit that is the newest, opened. */
async function records(page: Page): Promise<string[]> {
  await page.goto("/audit");
  await page.locator("tbody tr").first().getByRole("button").click();
  await expect(page.getByRole("dialog")).toBeVisible();
  const { pathname, search } = new URL(page.url());
  return ["/audit", "/audit?object=nothing-is-called-so&since=2026-01-01T00:00:00.000Z", pathname + search];
}

export const PLACES: Places = {
  "/$": ["/no-such-page"],
  "/sign-in": ["/sign-in", "/sign-in?registered=ada"],
  "/training/$id": ended,
  "/tasks/$id": newest,
  "/virtual-clusters": ["/virtual-clusters", "/virtual-clusters?words=nothing-is-called-so"],
  "/virtual-clusters/$id": cluster,
  "/virtual-clusters/$id/edit": form,
  "/audit": records,
  "/users": ["/users", "/users?words=nobody-is-called-so"],
  "/users/$id": accounts,
  "/groups/$id": async (page) => [await makeGroup(page, unique("seen"), /^User/)],
  "/roles/$id": async (page) => [await makeRole(page, unique("seen"), /^AI platform/), "/roles/admin"],
};
