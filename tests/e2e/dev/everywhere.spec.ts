import { addressesOf, plainOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, expectOwnContentOnly, LOOKS, settled, wear } from "../pages.ts";
import { start, unique } from "../portal.ts";
import { atWork } from "./people.ts";
import { PLACES } from "./places.ts";
import { expect, test } from "./stack.ts";

/** What every installation has: pages of work, and of user management those that need nothing to be made first. */
const FAMILY = "dev/everywhere";
const PEOPLE = [...plainOf("dev/people-everywhere"), "/roles/user"];

for (const { tag, ...seen } of LOOKS) {
  test(`axe finds nothing on any page, ${seen.language}, ${seen.appearance}`, { tag }, async ({ page }) => {
    test.setTimeout(240_000);
    const all = await addressesOf(page, FAMILY, PLACES);
    await wear(page, seen);
    await expectNoMistakes(page, all);
    await expect(page.locator("html")).toHaveAttribute("lang", seen.language);
  });
}

test("the language changes at once, everywhere, and stays", async ({ browser, stack }) => {
  const { page } = await atWork(browser, stack, { roles: ["admin"] }); // it stays theirs
  await page.goto("/overview");
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByText("中文").click();
  await expect(page.getByRole("heading", { level: 1, name: "总览" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  for (const [path, title] of [
    ["/training", "模型训练"],
    ["/training/new", "创建模型训练"],
    ["/nodes", "节点"],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: title, exact: true })).toBeVisible();
  }
  await page.getByRole("button", { name: "语言" }).click();
  await page.getByText("English").click();
  await expect(page.getByRole("heading", { level: 1, name: "Nodes" })).toBeVisible();
  await page.context().close();
});

test("a menu of the bar at the top stays beneath its button while the page scrolls", async ({ page }) => {
  await page.goto("/training/new");
  await settled(page);
  for (const opener of ["Language", "Appearance", /^Account of/, /^Virtual cluster/]) {
    await page.getByRole("button", { name: opener }).click();
    const menu = page.locator(".ant-dropdown:not(.ant-dropdown-hidden)");
    await expect(menu).toBeVisible();
    const [before, after] = await menu.evaluate((shown) => {
      window.scrollTo({ top: 0, behavior: "instant" });
      const first = shown.getBoundingClientRect().top;
      window.scrollTo({ top: 300, behavior: "instant" });
      return [first, shown.getBoundingClientRect().top]; // at once: nothing could put it right
    });
    expect(after).toBeCloseTo(before, 0);
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
  }
});

test("everything is reached by keyboard", async ({ page }) => {
  await page.goto("/overview");
  await settled(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search" })).toBeFocused();
  await page.keyboard.type("nod");
  await expect(page.getByRole("option", { selected: true })).toContainText("Nodes");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/nodes/);
});

test("an address that knows a task and not its kind leads to the page of the task", async ({ page, expected }) => {
  expected.push(/status of 404/); // there is no such task
  const id = await start(page, { name: unique("kind"), example: "digits", parameters: { epochs: "1" } });
  await page.goto(`/tasks/${id}`);
  await expect(page).toHaveURL(new RegExp(`/training/${id}`));
  await page.goto("/tasks/nothing-is-called-so");
  await expect(page.getByText("This task does not exist")).toBeVisible();
});

test("an address of no page keeps the menu, by which one gets away from it", async ({ page }) => {
  await page.goto("/no/such-page");
  await expect(page.getByText("There is no such page")).toBeVisible();
  await page.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Nodes" }).click();
  await expect(page).toHaveURL(/\/nodes/);
});

test("no page is wider than a phone", async ({ page }) => {
  await expectFitsPhone(page, [...(await addressesOf(page, FAMILY, PLACES)), ...PEOPLE]);
  await page.goto("/overview");
  const picker = page.getByRole("button", { name: /^Virtual cluster default/ });
  const cut = (element: Element) => element.scrollWidth > element.clientWidth;
  expect(await picker.locator(".cluster-name").evaluate(cut), "the virtual cluster's name is cut").toBe(false);
  await page.getByRole("button", { name: "Show or hide the menu" }).click();
  await page.getByRole("link", { name: "Training", exact: true }).click();
  await expect(page).toHaveURL(/\/training/);
});

test("nothing is loaded from elsewhere, and the content security policy is never broken", async ({ page, stack }) => {
  await expectOwnContentOnly(page, stack.url, [...(await addressesOf(page, FAMILY, PLACES)), ...PEOPLE]);
});
