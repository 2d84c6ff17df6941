/** People choose the virtual cluster that they use, and how often pages look again. */
import type { Page } from "@playwright/test";
import { signIn, start, unique } from "../portal.ts";
import { clusterName, makeCluster, ready } from "./clusters.ts";
import { atWork, elsewhere } from "./people.ts";
import { expect, test } from "./stack.ts";

function choice(page: Page, name: string) {
  return page.getByRole("radio", { name: new RegExp(`^${name}`) });
}

/** The times at which the page asks for that of the API from now on. */
function asks(page: Page, path: string): number[] {
  const asked: number[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === `/api/v1${path}`) asked.push(Date.now());
  });
  return asked;
}

test("the virtual cluster in use and all that are linked to the account are shown", {
  tag: ["@feature-58", "@local"],
}, async ({ page, browser, stack }) => {
  const name = clusterName("shown");
  await makeCluster(page, name, { gpus: 3, most: 2, hours: 5 });
  await makeCluster(page, clusterName("foreign"));
  const { page: theirs } = await atWork(browser, stack, { virtual_clusters: ["default", name] });
  await theirs.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Settings" }).click();
  const linked = theirs.getByRole("radiogroup", { name: "Virtual cluster in use" });
  await expect(linked.getByRole("radio")).toHaveCount(2);
  await expect(choice(theirs, "default")).toBeChecked();
  await expect(linked.locator("label").filter({ hasText: "default" })).toContainText("in use");
  const other = linked.locator("label").filter({ hasText: name });
  await expect(other).toContainText("3 of 3 free");
  await expect(other).toContainText("at most 2 for you");
  await expect(other).toContainText("5 hours at most");
  await expect(other).not.toContainText("in use");
  await choice(theirs, name).check();
  await expect(other).toContainText("in use");
  await theirs.reload();
  await expect(choice(theirs, name)).toBeChecked();
  await expect(linked.locator("label").filter({ hasText: "default" })).not.toContainText("in use");
  await theirs.context().close();
});

test("the virtual cluster in use is switched, in settings and in the bar at the top, for every browser", {
  tag: ["@feature-59", "@local"],
}, async ({ page, browser, stack }) => {
  test.setTimeout(240_000);
  const name = clusterName("used");
  await makeCluster(page, name, { gpus: 1 });
  await ready(page);
  const { page: theirs, person } = await atWork(browser, stack, { virtual_clusters: ["default", name] });
  const picker = theirs.getByRole("button", { name: /^Virtual cluster / });
  await expect(picker).toContainText("default");
  await theirs.goto("/settings");
  await choice(theirs, name).focus();
  await theirs.keyboard.press("Space");
  await expect(picker).toContainText(name);
  await expect(theirs.locator("label").filter({ hasText: name })).toContainText("in use");

  const again = await elsewhere(browser, stack);
  await signIn(again, person);
  await expect(again.getByRole("button", { name: /^Virtual cluster / })).toContainText(name);
  const task = await start(again, { name: unique("there"), example: "digits", parameters: { epochs: "1" } });
  await again.goto(`/training/${task}?tab=overview`);
  await expect(again.locator(".facts, .task-facts, dl").filter({ hasText: name }).first()).toBeVisible();
  await again.getByRole("button", { name: /^Virtual cluster / }).click();
  await again.getByRole("menuitem", { name: /^default/ }).click();
  await expect(again.getByRole("button", { name: /^Virtual cluster / })).toContainText("default");
  await again.context().close();
  await theirs.reload();
  await expect(choice(theirs, "default")).toBeChecked();
  await theirs.context().close();
});

test("the interval is set within its bounds, and pages look again by it", {
  tag: ["@feature-57", "@local"],
}, async ({ browser, stack }) => {
  test.setTimeout(180_000);
  const { page } = await atWork(browser, stack, { roles: ["admin", "user"] });
  await page.goto("/settings");
  const field = page.getByLabel("Interval in seconds");
  await expect(field).toHaveValue("15");
  await field.fill("4");
  await expect(page.getByText("A whole number from 5 to 3600.")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await field.fill("5");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Pages look again every 5 seconds.")).toBeVisible();

  for (const path of ["/nodes", "/users"]) {
    const asked = asks(page, path);
    await page.goto(path);
    await expect.poll(() => asked.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
    const spans = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    for (const span of spans) expect(span).toBeGreaterThan(4_500);
    expect(Math.min(...spans)).toBeLessThan(9_000); // by the usual interval it would be 15
  }

  await page.goto("/settings");
  await expect(field).toHaveValue("5");
  await field.fill("3600");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Pages look again every 3600 seconds.")).toBeVisible();
  const asked = asks(page, "/nodes");
  await page.goto("/nodes");
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  const before = asked.length;
  await page.waitForTimeout(17_000); // one of the usual intervals
  expect(asked.length).toBe(before);
  await page.context().close();
});

test("language and appearance are reached from settings, too", async ({ page }) => {
  await page.goto("/settings");
  await page.locator("main").getByText("中文").click();
  await expect(page.getByRole("heading", { level: 1, name: "设置" })).toBeVisible();
  await page.locator("main").getByText("English").click();
  await page.locator("main").getByText("Dark", { exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});
