/** What must hold of every page of user management, in both languages, light and dark, wide and on a phone. */
import { addressesOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, LOOKS, settled, speak, wear } from "../pages.ts";
import { PLACES } from "./places.ts";
import { expect, test } from "./stack.ts";

const FAMILY = "dev/people-everywhere";

for (const { tag, ...seen } of LOOKS) {
  const { language, appearance } = seen;
  test(`axe finds nothing in user management, ${language}, ${appearance}`, { tag }, async ({ page }) => {
    test.setTimeout(240_000);
    const all = await addressesOf(page, FAMILY, PLACES);
    await wear(page, seen);
    await expectNoMistakes(page, all);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
  });
}

test("no page of user management is wider than a phone", { tag: "@long" }, async ({ page }) => {
  test.setTimeout(240_000);
  await expectFitsPhone(page, await addressesOf(page, FAMILY, PLACES));
});

test("the search finds every page of user management in both languages", async ({ page }) => {
  for (const [language, words] of [
    ["en", ["Console", "Users", "New user", "Groups", "New group", "Roles", "New role"]],
    ["zh-CN", ["控制台", "用户", "新建用户", "用户组", "新建用户组", "角色", "新建角色"]],
  ] as const) {
    await speak(page, language);
    await page.goto("/overview");
    await settled(page);
    await page.keyboard.press("Control+k");
    for (const each of words) {
      await page.getByRole("combobox").fill(each);
      await expect(page.getByRole("option").filter({ hasText: each }).first()).toBeVisible();
    }
    await page.keyboard.press("Escape");
  }
});
