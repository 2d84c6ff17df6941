/** People choose the virtual cluster that they use, and how often pages look again. */
import type { Locator, Page } from "@playwright/test";
import { expectNoMistakes } from "../pages.ts";
import { api, headerState, signIn, start, unique } from "../portal.ts";
import { clusterName, makeCluster, ready } from "./clusters.ts";
import { atWork, elsewhere, makeFineRole, makeGroup } from "./people.ts";
import { expect, test } from "./stack.ts";

function choice(page: Page, name: string) {
  return page.getByRole("radio", { name: new RegExp(`^${name}`) });
}

/** A moment that the page shows, as it is told in the language of the page in Port-au-Prince, which is never in UTC. */
async function there(time: Locator, style: "medium" | "long"): Promise<string> {
  return time.evaluate(
    (shown, timeStyle) =>
      new Intl.DateTimeFormat(document.documentElement.lang, {
        dateStyle: "medium",
        timeStyle,
        timeZone: "America/Port-au-Prince",
      }).format(new Date((shown as HTMLTimeElement).dateTime)),
    style,
  );
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
  await choice(theirs, name).click();
  await expect(choice(theirs, name)).toBeChecked();
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
  test.setTimeout(300_000);
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

test("charts look again by the interval, and so does a list whose event stream is cut", async ({
  browser,
  stack,
  expected,
}) => {
  expected.push(/ERR_FAILED/); // what is cut is told so
  test.setTimeout(300_000);
  const { page } = await atWork(browser, stack);
  await page.goto("/settings");
  await page.getByLabel("Interval in seconds").fill("5");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Pages look again every 5 seconds.")).toBeVisible();
  const byInterval = async (asked: number[]) => {
    await expect.poll(() => asked.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
    const spans = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    for (const span of spans) expect(span).toBeGreaterThan(4_000);
    expect(Math.min(...spans)).toBeLessThan(9_000); // by the usual interval it would be 15
  };

  const name = unique("hold");
  const id = await start(page, { name, example: "devices", parameters: { seconds: "600" } });
  await expect(headerState(page, "Running")).toBeVisible({ timeout: 60_000 });
  const charts = asks(page, `/tasks/${id}/metrics`);
  await page.goto(`/training/${id}?tab=charts`);
  await byInterval(charts);

  // While the stream lives, it tells of changes, and nobody looks again by the clock.
  await page.goto("/training");
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("Running");
  await page.waitForTimeout(2_000); // what is read again when the stream begins
  const lists = asks(page, "/tasks");
  await page.waitForTimeout(11_000);
  expect(lists.length).toBe(0);

  await page.route(/\/api\/v1\/tasks\/stream/, (route) => route.abort());
  await page.goto("/training");
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("Running");
  const cut = asks(page, "/tasks");
  await byInterval(cut);
  // What happens meanwhile is seen with the next look.
  await api(page, `/tasks/${id}/stop`, "POST");
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("Stopped", { timeout: 30_000 });
  await page.context().close();
});

test("language, appearance and time zone follow the person to another browser", async ({ page, browser, stack }) => {
  test.setTimeout(240_000);
  const group = unique("timed");
  await makeGroup(page, group, /^User/);
  const { page: theirs, person } = await atWork(browser, stack, { roles: ["admin", "user"] });
  await theirs.goto("/settings");
  await theirs.locator("main").getByText("Dark", { exact: true }).click();
  await expect(theirs.locator("html")).toHaveAttribute("data-theme", "dark");
  await theirs.getByRole("combobox", { name: "Time zone" }).fill("Port-au");
  await theirs.getByText("America/Port-au-Prince", { exact: true }).last().click();
  await expect(theirs.getByText(/It is now .*(E[SD]T|GMT-[45])/)).toBeVisible();
  await theirs.locator("main").getByText("中文").click();
  await expect(theirs.getByRole("heading", { level: 1, name: "设置" })).toBeVisible();

  const again = await elsewhere(browser, stack);
  await signIn(again, person);
  await expect(again.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(again.locator("html")).toHaveAttribute("lang", "zh-CN");
  await again.goto("/settings");
  await expect(again.getByText("America/Port-au-Prince").first()).toBeVisible();
  await expectNoMistakes(again, ["/settings"]);
  // A list tells the exact moment on hover, the audit at once.
  await again.goto(`/groups?words=${group}`);
  await again.locator("tbody time").first().hover();
  await expect(again.getByRole("tooltip")).toHaveText(await there(again.locator("tbody time").first(), "long"));
  await again.goto("/audit");
  await expect(again.locator("tbody time").first()).toHaveText(
    await there(again.locator("tbody time").first(), "medium"),
  );
  await again.context().close();
  await theirs.context().close();
});

test("privileged jobs are switched on in settings, and only then offered by the form of a task", {
  tag: ["@feature-60", "@local"],
}, async ({ page, browser, stack }) => {
  test.setTimeout(240_000);
  const room = clusterName("room");
  const strict = clusterName("strict");
  await makeCluster(page, strict, { gpus: 1 });
  await page.goto(`${await makeCluster(page, room, { gpus: 1 })}/edit`);
  await page.getByRole("radio", { name: /Baseline/ }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Baseline: with privileged jobs")).toBeVisible();
  const may = await makeFineRole(page, unique("root"), [/^Run privileged jobs/]);

  // Who has not the right is told so.
  const { page: others } = await atWork(browser, stack, { virtual_clusters: [room] });
  await others.goto("/settings");
  await expect(others.getByRole("switch", { name: "Privilege Job" })).toBeDisabled();
  await expect(others.getByText(/Your roles do not include it/)).toBeVisible();
  await others.context().close();

  const { page: theirs } = await atWork(browser, stack, { roles: ["user", may], virtual_clusters: [room, strict] });
  const tick = theirs.getByRole("checkbox", { name: "Privilege Job" });
  const choose = async (name: string) => {
    await theirs.getByLabel("Virtual cluster", { exact: true }).click();
    await theirs.locator(".ant-select-item-option").filter({ hasText: name }).click();
  };
  await theirs.goto("/training/new");
  await choose(room);
  await expect(theirs.getByLabel("CPU limit (cores)")).toBeVisible();
  await expect(tick).toHaveCount(0);
  await theirs.goto("/settings");
  await theirs.getByRole("switch", { name: "Privilege Job" }).click();
  await expect(theirs.getByText(/^On: forms offer it/)).toBeVisible();
  await expectNoMistakes(theirs, ["/settings"]);
  await theirs.goto("/training/new");
  await choose(room);
  await expect(tick).toBeVisible();
  await choose(strict);
  await expect(tick).toHaveCount(0);
  await choose(room);
  await theirs.getByRole("button", { name: "digits", exact: true }).click();
  await theirs.getByLabel("Name", { exact: true }).fill(unique("root"));
  await tick.check();
  await theirs.getByRole("button", { name: "Start training" }).click();
  await theirs.waitForURL(/\/training\/[^/?]+\?tab=log/);
  await theirs.goto(theirs.url().replace("tab=log", "tab=overview"));
  await expect(theirs.getByText("Yes: root of its container")).toBeVisible();

  await theirs.goto("/settings");
  await theirs.getByRole("switch", { name: "Privilege Job" }).click();
  await expect(theirs.getByText("Off: forms do not offer it")).toBeVisible();
  await theirs.goto("/training/new");
  await choose(room);
  await expect(tick).toHaveCount(0);
  await theirs.context().close();
});
