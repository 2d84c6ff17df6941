/** What must hold of every page, whichever it is. */
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect } from "./portal.ts";

async function mistakes(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
    .analyze();
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
  );
}

/** Whatever is still on its way has come: skeletons are gone. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator("h1, h3").first()).toBeVisible();
  await expect(page.locator(".loading")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

/** Left to the suite `e2e-dev-long`. */
export const LONG = ["@long"];

/** How pages may look; every run tries two of them, `@long` the others (suite `e2e-dev-long`). */
export const LOOKS: { language: "en" | "zh-CN"; appearance: "light" | "dark"; tag: string[] }[] = [
  { language: "en", appearance: "light", tag: [] },
  { language: "zh-CN", appearance: "dark", tag: [] },
  { language: "en", appearance: "dark", tag: LONG },
  { language: "zh-CN", appearance: "light", tag: LONG },
];

export type Look = Pick<(typeof LOOKS)[number], "language" | "appearance">;

/** From its next page on it looks so, unless the account has settings of its own. */
export async function wear(page: Page, { language, appearance }: Look): Promise<void> {
  await look(page, appearance);
  await speak(page, language);
}

export async function speak(page: Page, language: Look["language"]): Promise<void> {
  await page.addInitScript((chosen) => localStorage.setItem("atoll.language", chosen), language);
}

async function look(page: Page, appearance: "light" | "dark"): Promise<void> {
  await page.addInitScript((chosen) => localStorage.setItem("atoll.appearance", chosen), appearance);
}

export async function expectNoMistakes(page: Page, paths: string[]): Promise<void> {
  const found: Record<string, string[]> = {};
  for (const path of paths) {
    await page.goto(path);
    await settled(page);
    const here = await mistakes(page);
    if (here.length > 0) found[path] = here;
  }
  expect(found).toEqual({});
}

/** What is open at this moment, a dialog say, has no mistakes either. */
export async function expectNoMistakesHere(page: Page): Promise<void> {
  await settled(page);
  // What still unfolds is half transparent, and has too little contrast.
  await expect(page.locator('[class*="-enter"], [class*="-leave"]')).toHaveCount(0);
  expect(await mistakes(page), page.url()).toEqual([]);
}

const PHONE = { width: 390, height: 844 };

export async function expectFitsPhone(page: Page, paths: string[]): Promise<void> {
  await page.setViewportSize(PHONE);
  for (const path of paths) {
    await page.goto(path);
    await settled(page);
    expect(await beyond(page), path).toBeLessThanOrEqual(0);
  }
}

/** By how many px the page is wider than the window. */
async function beyond(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

/** The page that is open has no mistakes, wide and on a phone, which it fits; leaves the window as it was. */
export async function expectSoundHere(page: Page): Promise<void> {
  const wide = page.viewportSize();
  await expectNoMistakesHere(page);
  await page.setViewportSize(PHONE);
  await expectNoMistakesHere(page);
  expect(await beyond(page), page.url()).toBeLessThanOrEqual(0);
  if (wide) await page.setViewportSize(wide);
}

/** Nothing is loaded from elsewhere, and the content security policy is never broken. */
export async function expectOwnContentOnly(page: Page, origin: string, paths: string[]): Promise<void> {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) foreign.push(request.url());
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      throw new Error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  for (const path of paths) {
    await page.goto(path);
    await settled(page);
  }
  expect(foreign).toEqual([]);
}

/** The views of one task. */
export function viewsOf(id: string): string[] {
  return ["overview", "log", "charts", "files", "events", "definition"].map((tab) => `/training/${id}?tab=${tab}`);
}
