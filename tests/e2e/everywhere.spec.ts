import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { api, expect, installed, test } from "./portal.ts";

async function pages(page: Page): Promise<string[]> {
  await page.goto("/overview");
  const { items } = await api<{ items: { id: string }[] }>(page, "/tasks?limit=1");
  const task = items[0]?.id;
  return [
    "/overview",
    "/training",
    "/training/new",
    ...(task ? ["overview", "log", "charts", "files", "events", "definition"].map((tab) => `/training/${task}?tab=${tab}`) : []),
    "/nodes",
    ...((await installed(page)) ? ["/services", "/runs"] : []),
    "/no-such-page",
  ];
}

async function mistakes(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`));
}

/** Whatever is still on its way has come: skeletons are gone. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator("h1, h3").first()).toBeVisible();
  await expect(page.locator(".loading")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

for (const appearance of ["light", "dark"] as const) {
  test(`axe finds nothing on any page, ${appearance}`, async ({ page }) => {
    test.setTimeout(240_000);
    await page.addInitScript((chosen) => localStorage.setItem("atoll.appearance", chosen), appearance);
    const found: Record<string, string[]> = {};
    for (const path of await pages(page)) {
      await page.goto(path);
      await settled(page);
      const here = await mistakes(page);
      if (here.length > 0) found[path] = here;
    }
    expect(found).toEqual({});
  });
}

test.describe("before signing in", () => {
  test.use({ storageState: { cookies: [], origins: [] } });
  test("axe finds nothing on the sign-in page", async ({ page }) => {
    await page.goto("/");
    await settled(page);
    expect(await mistakes(page)).toEqual([]);
  });
});

test("the language changes at once, everywhere, and stays", async ({ page }) => {
  await page.goto("/overview");
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByText("中文").click();
  await expect(page.getByRole("heading", { level: 1, name: "总览" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  for (const [path, title] of [["/training", "模型训练"], ["/training/new", "创建模型训练"], ["/nodes", "节点"]] as const) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: title, exact: true })).toBeVisible();
  }
  await page.getByRole("button", { name: "语言" }).click();
  await page.getByText("English").click();
  await expect(page.getByRole("heading", { level: 1, name: "Nodes" })).toBeVisible();
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

test("no page is wider than a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of await pages(page)) {
    await page.goto(path);
    await settled(page);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(beyond, path).toBeLessThanOrEqual(0);
  }
  await page.goto("/overview");
  await page.getByRole("button", { name: "Show or hide the menu" }).click();
  await page.getByRole("link", { name: "Training", exact: true }).click();
  await expect(page).toHaveURL(/\/training/);
});

test("nothing is loaded from elsewhere, and the content security policy is never broken", async ({ page, baseURL }) => {
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL ?? "") && !request.url().startsWith("data:")) foreign.push(request.url());
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      throw new Error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  for (const path of await pages(page)) {
    await page.goto(path);
    await settled(page);
  }
  expect(foreign).toEqual([]);
});
