/** Who does not administer: every page to which they get from where they stand, wide and on a phone. */
import type { Page } from "@playwright/test";
import { routeOf } from "../addresses.ts";
import { expectSoundHere, LONG, LOOKS, settled, wear } from "../pages.ts";
import { headerState, start, unique } from "../portal.ts";
import { atWork, makeFineRole } from "./people.ts";
import { expect, test } from "./stack.ts";

/** Where one begins, and where the menu of the account leads, whose entries are no links. */
const BEGIN = ["/", "/account", "/password"];
const EVERYBODY = ["/account", "/password", "/settings"];
const DENIED = { en: "You may not see this", "zh-CN": "您没有当前页面的访问权限" };

/** Follow every link from page to page, each route once; `look` is called on each. Returns the routes. */
async function walk(page: Page, look: (route: string) => Promise<void>): Promise<string[]> {
  const [tried, seen] = [new Set<string>(), new Set<string>()];
  const ways = [...BEGIN];
  for (let path = ways.shift(); path !== undefined; path = ways.shift()) {
    const to = routeOf(path.replace(/[?#].*/, ""));
    if (tried.has(to)) continue;
    tried.add(to);
    await page.goto(path);
    await settled(page);
    const route = routeOf(new URL(page.url()).pathname);
    if (seen.has(route)) continue;
    seen.add(route);
    await look(route);
    const links = await page.locator('a[href^="/"]').evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
    ways.push(...links.filter((link) => !link.startsWith("/api/")));
  }
  return [...seen].sort();
}

/** Whom the pages are shown to, and which there are. */
const PEOPLE: { who: string; routes: string[]; roles: (page: Page) => Promise<string[]> }[] = [
  {
    who: "a user",
    routes: ["/overview", "/training", "/training/$id", "/training/new"],
    roles: async () => ["user"],
  },
  { who: "an annotator", routes: [], roles: async () => ["annotator"] },
  {
    who: "somebody who may only look at users",
    routes: ["/user-management", "/users", "/users/$id"],
    roles: async (page) => [await makeFineRole(page, unique("looks"), [/^See users/])],
  },
];

for (const { who, routes, roles } of PEOPLE) {
  for (const { language, appearance } of LOOKS.filter(({ tag }) => tag.length === 0)) {
    test(`each page that ${who} gets to is sound and not refused, ${language}, ${appearance}`, {
      tag: LONG,
    }, async ({ page, browser, stack }) => {
      test.setTimeout(300_000);
      const { page: theirs } = await atWork(browser, stack, { roles: await roles(page) });
      if (routes.includes("/training/$id")) {
        await start(theirs, { name: unique("theirs"), example: "digits", parameters: { epochs: "2" } });
        await expect(headerState(theirs, "Finished")).toBeVisible({ timeout: 60_000 });
      }
      await wear(theirs, { language, appearance });
      const found = await walk(theirs, async (route) => {
        await expect(theirs.getByText(DENIED[language], { exact: true }), route).toHaveCount(0);
        await expectSoundHere(theirs);
      });
      expect(found).toEqual([...routes, ...EVERYBODY].sort());
      await expect(theirs.locator("html")).toHaveAttribute("lang", language);
      await theirs.context().close();
    });
  }
}
