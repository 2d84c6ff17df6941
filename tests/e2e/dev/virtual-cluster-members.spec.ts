/** Whose a virtual cluster is: users and groups are found, added and taken out, and see it at once. */
import type { Locator, Page } from "@playwright/test";
import { api, headerState, start, unique } from "../portal.ts";
import { addMember, clusterName, fact, makeCluster, member, ready } from "./clusters.ts";
import { accountName, atWork, find, giveRole, lookAgain, makeGroup, registered, SORRY, unfolded } from "./people.ts";
import { expect, NOBODY, test } from "./stack.ts";

/** Choose in a field of a dialog by the first four letters of a name, from those that these find. */
async function byFourLetters(page: Page, field: Locator, name: string): Promise<void> {
  const letters = name.slice(0, 4);
  await unfolded(page);
  await field.click();
  await page.keyboard.type(letters);
  const found = page.locator(".ant-select-item-option").filter({ visible: true });
  // Until the answer is there, what was found before is still shown.
  await expect(async () => {
    const told = await found.allTextContents();
    expect(told.some((each) => each.includes(name))).toBe(true);
    expect(told.filter((each) => !each.toLowerCase().includes(letters.toLowerCase()))).toEqual([]);
  }).toPass();
  await found.filter({ hasText: name }).click();
}

test("users and groups are found by a few letters and become members", {
  tag: ["@feature-70", "@local"],
}, async ({ page, stack }) => {
  const name = clusterName("joined");
  const [direct, group] = [accountName("zora"), unique("joined")];
  await page.goto("/users");
  const account = { name: direct, nickname: "Zora", password: unique("Password"), roles: ["user"] };
  await api(page, "/users", "POST", { ...account, virtual_clusters: [] });
  await makeGroup(page, group, /^User/);
  await makeCluster(page, name);
  await expect(page.getByText("Nobody yet")).toBeVisible();
  const dialog = page.getByRole("dialog");
  for (const [field, called] of [
    ["Users", direct],
    ["Groups", group],
  ] as const) {
    await page.locator(".page-actions").getByRole("button", { name: "Add users" }).click();
    await byFourLetters(page, dialog.getByLabel(field), called);
    await dialog.getByRole("button", { name: "Add" }).click();
    await expect(dialog).toBeHidden();
    await expect(member(page, called)).toBeVisible();
  }
  await expect(member(page, direct)).toContainText("Added by itself");
  await expect(member(page, group)).toContainText("Group with 0 users");
  await expect(fact(page, "Members")).toHaveText("1");
  // Who joins the group is a member through it.
  const through = await stack.newcomer({ virtual_clusters: [] });
  await page.goto(`/users?words=${through.user}`);
  await page.getByRole("button", { name: `Add to groups: ${through.user}` }).click();
  await find(page, dialog.getByLabel("Groups"), group);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await page.goto(`/virtual-clusters?words=${name}`);
  await page.getByRole("button", { name: `Users: ${name}` }).click();
  await expect(member(page, through.user)).toContainText(`Through ${group}`);
  await expect(fact(page, "Members")).toHaveText("2");
});

test.describe("users of a virtual cluster", () => {
  test.use({ expected: [/409/] });
  test("are seen and taken out, whose tasks run only with these", {
    tag: ["@feature-71", "@local"],
  }, async ({ page, browser, stack }) => {
    test.setTimeout(240_000);
    const name = clusterName("left");
    const path = await makeCluster(page, name, { gpus: 1 });
    await ready(page);
    const idle = await stack.newcomer({ virtual_clusters: [name] });
    const { page: theirs, person } = await atWork(browser, stack, { virtual_clusters: [name, "default"] });
    await theirs.goto("/settings");
    const used = theirs.getByRole("radio", { name: new RegExp(`^${name}`) });
    await used.click();
    await expect(used).toBeChecked();
    await start(theirs, { name: unique("hold"), example: "devices", parameters: { seconds: "600" } });
    await expect(headerState(theirs, "Running")).toBeVisible({ timeout: 60_000 });

    await page.goto(path);
    await expect(member(page, idle.user)).toContainText(/Person \d+/);
    await page.getByRole("button", { name: `Take ${idle.user} out` }).click();
    const dialog = await unfolded(page);
    await dialog.getByRole("button", { name: "Take out" }).click();
    await expect(member(page, idle.user)).toHaveCount(0);

    await expect(member(page, person.user).getByRole("cell").nth(3)).toHaveText("1");
    await page.getByRole("button", { name: `Take ${person.user} out` }).click();
    await expect(dialog).toContainText("1 task of who would leave");
    await dialog.getByRole("button", { name: "Take out" }).click();
    await expect(dialog).toContainText("Have them stopped");
    await dialog.getByRole("checkbox", { name: "Stop these tasks" }).check();
    await dialog.getByRole("button", { name: "Take out" }).click();
    await expect(page.getByText("Nobody yet")).toBeVisible();
    await expect(headerState(theirs, "Stopped")).toBeVisible({ timeout: 60_000 });
    await theirs.goto("/settings");
    await expect(theirs.getByRole("radio", { name: /^default/ })).toBeChecked();
    await expect(theirs.getByText(name)).toHaveCount(0);
    await theirs.context().close();
  });
});

test.describe("a new user", () => {
  test.use({ storageState: NOBODY });
  test("works only once an administrator has linked a virtual cluster, without signing in again", {
    tag: ["@feature-44b", "@local"],
  }, async ({ browser, stack }) => {
    test.setTimeout(240_000);
    const { page: theirs, person } = await registered(browser, stack);
    const admin = await browser.newContext({ baseURL: stack.url, storageState: stack.session });
    const page = await admin.newPage();
    await giveRole(page, person, /^User/);
    await lookAgain(theirs);
    await expect(theirs.getByText("You have rights by a role.")).toBeVisible();
    await expect(theirs.getByRole("heading", { name: SORRY })).toBeVisible();
    await theirs.goto("/training/new");
    await expect(theirs.getByRole("heading", { name: SORRY })).toBeVisible();

    await makeCluster(page, clusterName("linked"), { gpus: 1 });
    await addMember(page, "Users", person.user);
    await ready(page);
    await admin.close();
    await lookAgain(theirs);
    await expect(theirs.getByRole("navigation", { name: "Main menu" })).toBeVisible();
    await start(theirs, { name: unique("first"), example: "digits", parameters: { epochs: "1" } });
    await expect(headerState(theirs, "Finished")).toBeVisible({ timeout: 60_000 });
    await theirs.context().close();
  });
});
