/** What must hold of every page of user management, in both languages, light and dark, wide and on a phone. */
import type { Page } from "@playwright/test";
import { expectFitsPhone, expectNoMistakes, LOOKS, settled, speak, wear } from "../pages.ts";
import { unique } from "../portal.ts";
import { makeGroup, makeRole, registered } from "./people.ts";
import { expect, NOBODY, test } from "./stack.ts";

/** Every page, those of one user, group and role among them. */
async function pages(page: Page): Promise<string[]> {
  const group = await makeGroup(page, unique("seen"), /^User/);
  const role = await makeRole(page, unique("seen"), /^AI platform/);
  await page.goto("/users?words=admin");
  const user = await page.getByRole("link", { name: "admin", exact: true }).first().getAttribute("href");
  return [
    "/user-management",
    "/users",
    "/users?words=nobody-is-called-so",
    "/users/new",
    user ?? "",
    "/groups",
    "/groups/new",
    group,
    "/roles",
    "/roles/new",
    role,
    "/roles/admin",
  ];
}

for (const { tag, ...seen } of LOOKS) {
  const { language, appearance } = seen;
  test(`axe finds nothing in user management, ${language}, ${appearance}`, { tag }, async ({ page }) => {
    test.setTimeout(240_000);
    const all = await pages(page);
    await wear(page, seen);
    await expectNoMistakes(page, all);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
  });

  test(`axe finds nothing on the pages in front of the portal, ${language}, ${appearance}`, { tag }, async ({
    browser,
    stack,
    expected,
  }) => {
    expected.push(/status of 401/); // nobody is signed in yet
    const { page } = await registered(browser, stack);
    await wear(page, seen);
    await expectNoMistakes(page, ["/no-access"]);
    const heading = {
      en: "Sorry, you are not authorised to access this page",
      "zh-CN": "对不起，您没有当前页面的访问权限",
    }[language];
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await page.context().clearCookies();
    await expectNoMistakes(page, ["/register", "/sign-in?registered=ada"]);
    await page.context().close();
  });
}

test("no page of user management is wider than a phone", { tag: "@long" }, async ({ page }) => {
  test.setTimeout(240_000);
  await expectFitsPhone(page, await pages(page));
});

test.describe("before signing in", () => {
  test.use({ storageState: NOBODY });
  test("no page is wider than a phone", { tag: "@long" }, async ({ page }) => {
    await expectFitsPhone(page, ["/register", "/sign-in?registered=ada"]);
  });
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
