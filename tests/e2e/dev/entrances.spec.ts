/** What must hold of the pages in front of the portal: for nobody, for who changes a password, for who has no rights. */
import type { Browser, Page } from "@playwright/test";
import { addressesOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, LOOKS, type Look, wear } from "../pages.ts";
import { signIn } from "../portal.ts";
import { elsewhere, registered } from "./people.ts";
import { PLACES } from "./places.ts";
import { expect, type Stack, test } from "./stack.ts";

const FAMILY = "dev/entrances";
/** Those that somebody sees who is signed in; all others are for nobody. */
const INSIDE = ["/no-access", "/password"];
const HEADINGS = {
  "/no-access": {
    en: "Sorry, you are not authorised to access this page",
    "zh-CN": "对不起，您没有当前页面的访问权限",
  },
  "/password": { en: "Change password", "zh-CN": "修改密码" },
};

/** Somebody with a password that an administrator gave them: no other page opens before it is another one. */
async function invited(browser: Browser, stack: Stack): Promise<Page> {
  const page = await elsewhere(browser, stack);
  await signIn(page, await stack.newcomer());
  await page.waitForURL(/\/password/);
  return page;
}

async function outside(page: Page): Promise<string[]> {
  return (await addressesOf(page, FAMILY, PLACES)).filter((path) => !INSIDE.includes(path));
}

async function expectHeading(page: Page, path: keyof typeof HEADINGS, language: Look["language"]): Promise<void> {
  await expect(page).toHaveURL(new RegExp(path));
  await expect(page.getByRole("heading", { level: 1, name: HEADINGS[path][language] })).toBeVisible();
}

for (const { tag, ...seen } of LOOKS) {
  const { language, appearance } = seen;
  test(`axe finds nothing on the pages in front of the portal, ${language}, ${appearance}`, { tag }, async ({
    page,
    browser,
    stack,
  }) => {
    test.setTimeout(240_000);
    const nobody = await elsewhere(browser, stack);
    await wear(nobody, seen);
    await expectNoMistakes(nobody, await outside(nobody));
    await expect(nobody.locator("html")).toHaveAttribute("lang", language);
    await nobody.context().close();

    const { page: waiting } = await registered(browser, stack);
    const must = await invited(browser, stack);
    // Who may change the password sees more of its page than who must.
    for (const [theirs, path] of [
      [waiting, "/no-access"],
      [must, "/password"],
      [page, "/password"],
    ] as const) {
      await wear(theirs, seen);
      await expectNoMistakes(theirs, [path]);
      await expectHeading(theirs, path, language);
    }
    await must.context().close();
    await waiting.context().close();
  });
}

test("no page in front of the portal is wider than a phone", { tag: "@long" }, async ({ page, browser, stack }) => {
  test.setTimeout(240_000);
  const nobody = await elsewhere(browser, stack);
  await expectFitsPhone(nobody, await outside(nobody));
  await nobody.context().close();
  const { page: waiting } = await registered(browser, stack);
  await expectFitsPhone(waiting, ["/no-access"]);
  await expectHeading(waiting, "/no-access", "en");
  await waiting.context().close();
  const must = await invited(browser, stack);
  for (const theirs of [must, page]) {
    await expectFitsPhone(theirs, ["/password"]);
    await expectHeading(theirs, "/password", "en");
  }
  await must.context().close();
});
