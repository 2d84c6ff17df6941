/** An administrator makes, edits, extends and deletes virtual clusters; their members see it at once. */
import { addressesOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, LOOKS, wear } from "../pages.ts";
import { api, choose, headerState, start, unique } from "../portal.ts";
import { clusterName, fact, GPU, grant, makeCluster, NPU, ready } from "./clusters.ts";
import { atWork, makeFineRole, row } from "./people.ts";
import { PLACES } from "./places.ts";
import { expect, test } from "./stack.ts";

interface Capacity {
  type: string;
  total: number;
  given: number;
  free: number;
}

test.describe("who does not administer", () => {
  test("sees no menu of virtual clusters and none of its pages; an administrator has both", {
    tag: ["@feature-53a", "@feature-62", "@local"],
  }, async ({ page, browser, stack }) => {
    test.setTimeout(300_000);
    const name = clusterName("hidden");
    const path = await makeCluster(page, name);
    // One of single permissions: much of administration, and of virtual clusters one's own.
    const near = [/^See own virtual clusters/, /^See users/, /^Manage users/, /^See nodes/];
    const role = await makeFineRole(page, unique("near"), near);
    for (const roles of [["user"], [role]]) {
      const { page: theirs } = await atWork(browser, stack, { roles });
      const menu = theirs.getByRole("navigation", { name: "Main menu" });
      await expect(menu.getByRole("link", { name: "Settings" })).toBeVisible();
      await expect(menu.getByRole("link", { name: "Virtual clusters" })).toHaveCount(0);
      for (const each of ["/virtual-clusters", "/virtual-clusters/new", path, `${path}/edit`]) {
        await theirs.goto(each);
        await expect(theirs.getByText("You may not see this")).toBeVisible();
        await expect(theirs.getByText(name)).toHaveCount(0);
      }
      const known = await api<{ items: { name: string }[] }>(theirs, "/virtual-clusters?limit=200");
      expect(known.items.map((each) => each.name)).toEqual(["default"]);
      await theirs.context().close();
    }

    await page.goto("/overview");
    await page.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Virtual clusters" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Virtual clusters" })).toBeVisible();
    await expect(row(page, name)).toBeVisible();
    await expect(row(page, "default")).toContainText("of 8");
    await page.getByRole("textbox", { name: "Name of a virtual cluster" }).fill(name);
    await expect(row(page, "default")).toHaveCount(0);
    await expect(page).toHaveURL(new RegExp(`words=${name}`));
    await page.reload();
    await expect(row(page, name)).toBeVisible();
    await expect(row(page, "default")).toHaveCount(0);
  });
});

test("the form has found the device types and says how many of each there are to be granted", {
  tag: ["@feature-63", "@local"],
}, async ({ page }) => {
  await page.goto("/virtual-clusters/new");
  const capacity = await api<Capacity[]>(page, "/device-capacity");
  // What the machine of this stack pretends to have.
  expect(Object.fromEntries(capacity.map(({ type, total }) => [type, total]))).toEqual({
    nvidia_gpu_amd64: 8,
    huawei_npu_amd64: 8,
  });
  await expect(page.getByRole("group")).toHaveCount(capacity.length);
  const { total, given, free } = capacity.find(({ type }) => type === "nvidia_gpu_amd64") as Capacity;
  await expect(grant(page)).toContainText(`${total} in the cluster, ${given} granted, ${free} free.`);
  const panel = page.getByRole("complementary", { name: "What is left then" });
  const told = panel.getByRole("listitem").filter({ hasText: GPU });
  await expect(told).toContainText(`${free} of ${total} left free`);
  await grant(page)
    .getByLabel("Number")
    .fill(String(free + 1));
  await expect(told).toContainText(/more (is|are) granted than there/);
});

test("a virtual cluster is made with name, devices per type, most per user and hours, by their rules", {
  tag: ["@feature-64a", "@feature-64b", "@feature-64c", "@feature-64d", "@local"],
}, async ({ page }) => {
  const name = clusterName("made");
  await page.goto("/virtual-clusters/new");
  const field = page.getByLabel("Name", { exact: true });
  await field.fill("Two Words");
  await expect(page.getByText("Only small letters and digits, with single hyphens")).toBeVisible();
  await field.fill(name);
  await grant(page).getByLabel("Number").fill("100001");
  await expect(grant(page)).toContainText("A whole number from 0 to 100000.");
  await grant(page).getByLabel("Number").fill("4");
  await grant(page).getByLabel("Most per user").fill("5");
  await expect(grant(page)).toContainText("At most 4");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(/\/virtual-clusters\/new/);
  await grant(page).getByLabel("Most per user").fill("2");
  await grant(page, NPU).getByLabel("Number").fill("8");
  await grant(page, NPU).getByLabel("Most per user").fill("4");
  await page.getByRole("radio", { name: "Limited" }).check();
  await page.getByLabel("Hours", { exact: true }).fill("0");
  await expect(page.getByText("A whole number from 1 to 87600.")).toBeVisible();
  await page.getByLabel("Hours", { exact: true }).fill("48");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/virtual-clusters\/(?!new)[^/]+$/);
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(fact(page, "Maximum hours")).toHaveText("48 hours");
  await ready(page);
  const granted = [
    { type: GPU, count: 4, most: 2 },
    { type: NPU, count: 8, most: 4 },
  ];
  for (const { type, count, most } of granted) {
    const cells = page.getByRole("row").filter({ hasText: type }).getByRole("cell");
    await expect(cells.nth(1)).toHaveText(`0 of ${count}`);
    await expect(cells.nth(2)).toHaveText(String(count));
    await expect(cells.nth(3)).toHaveText(String(most));
  }
  await page.goto(`/virtual-clusters?words=${name}`);
  const told = row(page, name).getByRole("listitem");
  await expect(told).toHaveCount(granted.length);
  for (const { type, count, most } of granted) {
    await expect(told.filter({ hasText: type })).toContainText(`0 of ${count}`);
    await expect(told.filter({ hasText: type })).toContainText(`at most ${most} each`);
  }
  await expect(row(page, name)).toContainText("48 hours");
});

test.describe("a name that is taken", () => {
  test.use({ expected: [/409/] });
  test("is said at its field, and what was typed stays", async ({ page }) => {
    await page.goto("/virtual-clusters/new");
    await page.getByLabel("Name", { exact: true }).fill("default");
    await grant(page).getByLabel("Number").fill("1");
    await page.getByRole("button", { name: "Create" }).click();
    await expect(page.getByText("There is a virtual cluster `default` already.")).toBeVisible();
    await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
    await expect(grant(page).getByLabel("Number")).toHaveValue("1");
  });
});

test("a virtual cluster borrows idle devices where its form says so, and ceases to", async ({ page }) => {
  const name = clusterName("borrows");
  await page.goto("/virtual-clusters/new");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await expect(page.getByRole("radio", { name: "Nothing" })).toBeChecked();
  await page.getByRole("radio", { name: "Idle devices of others" }).check();
  await expect(page.getByRole("complementary")).toContainText("further tasks take idle devices");
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/virtual-clusters\/(?!new)[^/]+$/);
  await expect(fact(page, "Beyond its own devices")).toHaveText("Idle devices of others");
  await ready(page);
  await page.goto(`${new URL(page.url()).pathname}/edit`);
  await page.getByRole("radio", { name: "Nothing" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(fact(page, "Beyond its own devices")).toHaveText("Nothing");
});

test("the time of a virtual cluster is extended from the list", {
  tag: ["@feature-66", "@local"],
}, async ({ page }) => {
  const name = clusterName("longer");
  await makeCluster(page, name, { hours: 48 });
  await page.goto(`/virtual-clusters?words=${name}`);
  await page.getByRole("button", { name: `Extend: ${name}` }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("48 hours now");
  await dialog.getByLabel("More hours").fill("12");
  await expect(dialog).toContainText("Then it is 60 hours.");
  await dialog.getByRole("button", { name: "Extend" }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, name)).toContainText("60 hours");
});

test.describe("while a task is in it", () => {
  test.use({ expected: [/status of (404|409)/] });
  test("a virtual cluster gets more at once, is given less and deleted only afterwards", {
    tag: ["@feature-67", "@local"],
  }, async ({ page, browser, stack }) => {
    test.setTimeout(240_000);
    const name = clusterName("busy");
    const path = await makeCluster(page, name, { gpus: 4 });
    await ready(page);
    const { page: theirs } = await atWork(browser, stack, { virtual_clusters: [name] });
    const task = unique("hold");
    await start(theirs, { name: task, example: "devices", parameters: { seconds: "600" } });
    await expect(headerState(theirs, "Running")).toBeVisible({ timeout: 60_000 });

    await page.goto(`${path}/edit`);
    await expect(page.getByText(/^1 task waits or runs here/)).toBeVisible();
    await grant(page).getByLabel("Number").fill("2");
    const panel = page.getByRole("complementary", { name: "What is left then" });
    await expect(panel).toContainText("it would be refused");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("alert")).toContainText("1 tasks wait or run");
    await expect(grant(page).getByLabel("Number")).toHaveValue("2");
    await grant(page).getByLabel("Number").fill("5");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.getByRole("row").filter({ hasText: GPU })).toContainText("of 5");

    await page.goto(`/virtual-clusters?words=${name}`);
    await expect(row(page, name)).toContainText("1 running");
    await choose(page, `Actions for ${name}`, "Delete");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(dialog.getByRole("alert")).toContainText("1 tasks wait or run");
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await theirs
      .getByRole("button", { name: `Stop ${task}` })
      .or(theirs.getByRole("button", { name: "Stop" }))
      .first()
      .click();
    await theirs.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
    await expect(headerState(theirs, "Stopped")).toBeVisible({ timeout: 60_000 });
    await theirs.context().close();

    await page.goto(`${path}/edit`);
    await grant(page).getByLabel("Number").fill("2");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.getByRole("row").filter({ hasText: GPU })).toContainText("0 of 2");
    await choose(page, `Actions for ${name}`, "Delete");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.goto(`/virtual-clusters?words=${name}`);
    await expect(page.getByText("Nothing fits these filters")).toBeVisible({ timeout: 30_000 });
  });
});

test("a deletion says what becomes of the members, is asked for, and shown until it is done", {
  tag: ["@feature-68", "@local"],
}, async ({ page, stack }) => {
  const name = clusterName("gone");
  await makeCluster(page, name, { gpus: 1 });
  const person = await stack.newcomer({ virtual_clusters: ["default", name] });
  await page.goto(`/virtual-clusters?words=${name}`);
  await expect(row(page, name).getByRole("cell").nth(3)).toHaveText("1");
  await choose(page, `Actions for ${name}`, "Delete");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Its 1 member loses it at once");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog).toBeHidden();
  await page.reload();
  await expect(row(page, name)).toBeVisible();
  await choose(page, `Actions for ${name}`, "Delete");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(
    page.getByText("Nothing fits these filters").or(row(page, name).getByText("Being deleted")),
  ).toBeVisible();
  await expect(page.getByText("Nothing fits these filters")).toBeVisible({ timeout: 30_000 });
  await page.goto(`/users?words=${person.user}`);
  await row(page, person.user).getByRole("link", { name: person.user }).click();
  await expect(fact(page, "Virtual clusters")).toHaveText("default");
});

test.describe("two administrators at one virtual cluster", () => {
  test.use({ expected: [/412/] });
  test("the slower one is told who was quicker and what is stored, and loses nothing typed", async ({
    page,
    browser,
    stack,
  }) => {
    const name = clusterName("twice");
    const path = await makeCluster(page, name, { gpus: 1, hours: 10 });
    const { page: theirs, person } = await atWork(browser, stack, { roles: ["admin"] });
    for (const each of [page, theirs]) await each.goto(`${path}/edit`);
    await theirs.getByLabel("Hours", { exact: true }).fill("20");
    await grant(theirs).getByLabel("Number").fill("2");
    await theirs.getByRole("button", { name: "Save" }).click();
    await expect(theirs).toHaveURL(new RegExp(`${path}$`));

    await grant(page).getByLabel("Number").fill("3");
    await page.getByRole("button", { name: "Save" }).click();
    const told = page.getByRole("alert");
    await expect(told).toContainText(`${name} was changed since you opened this`);
    await expect(told).toContainText(`The last change is by ${person.user}.`);
    await expect(grant(page).getByLabel("Number")).toHaveValue("3");
    await page.getByRole("button", { name: "Load anew" }).click();
    // What was not touched is what is stored; of what both have changed both values are there.
    await expect(page.getByLabel("Hours", { exact: true })).toHaveValue("20");
    await expect(grant(page).getByLabel("Number")).toHaveValue("3");
    await expect(page.getByRole("status").filter({ hasText: "Stored now:" })).toContainText(`${GPU}: 2`);
    await expect(page.getByRole("status").filter({ hasText: "Stored now:" })).not.toContainText("hours");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(fact(page, "Maximum hours")).toHaveText("20 hours");
    await expect(page.getByRole("row").filter({ hasText: GPU })).toContainText("0 of 3");
    await theirs.context().close();
  });
});

test("leaving the form with unsaved input asks first", async ({ page }) => {
  await page.goto("/virtual-clusters/new");
  await page.getByLabel("Name", { exact: true }).fill("unfinished");
  await page.getByRole("link", { name: "Overview" }).click();
  await expect(page.getByText("Leave without saving?")).toBeVisible();
  await page.getByRole("button", { name: "Stay" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("unfinished");
});

const FAMILY = "dev/virtual-clusters";

for (const { tag, ...seen } of LOOKS) {
  const { language, appearance } = seen;
  test(`axe finds nothing on pages of virtual clusters and settings, ${language}, ${appearance}`, { tag }, async ({
    page,
  }) => {
    test.setTimeout(240_000);
    const all = await addressesOf(page, FAMILY, PLACES);
    await wear(page, seen);
    await expectNoMistakes(page, all);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
  });
}

test("no page of virtual clusters and settings is wider than a phone", { tag: "@long" }, async ({ page }) => {
  test.setTimeout(240_000);
  await expectFitsPhone(page, await addressesOf(page, FAMILY, PLACES));
});
