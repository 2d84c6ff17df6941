import { expectNoMistakes } from "../pages.ts";
import { headerState, start, unique } from "../portal.ts";
import { atWork } from "./people.ts";
import { expect, test } from "./stack.ts";

/** Of what the manual counts: those that have a list, and those that have none yet. */
const CHARTS = ["Model training"];
const NOT_YET = ["Code development", "Model evaluation", "Inference service"];

test("the overview shows the recommended way with links to the lists that there are", {
  tag: ["@feature-54a", "@local"],
}, async ({ page }) => {
  await page.goto("/overview");
  const way = page.locator("section").filter({ has: page.getByRole("heading", { name: "The recommended way" }) });
  const steps = way.getByRole("listitem");
  await expect(steps).toHaveCount(5);
  const order = ["Code development", "Data management", "Model training", "Model management", "Inference service"];
  for (const [index, name] of order.entries()) await expect(steps.nth(index)).toContainText(name);
  // The step that has a list leads there; of each other one it is said that there is none, and nothing leads anywhere.
  await expect(way.getByRole("link")).toHaveCount(1);
  for (const index of [0, 1, 3, 4]) await expect(steps.nth(index)).toContainText("Not part of this version yet.");
  await expect(steps.nth(2)).not.toContainText("Not part of this version yet.");
  await way.getByRole("link", { name: "Model training" }).click();
  await expect(page).toHaveURL(/\/training$/);
});

test("charts count tasks per state, of one's own and of everybody, and follow what happens", {
  tag: ["@feature-56b", "@local"],
}, async ({ page, browser, stack }) => {
  test.setTimeout(300_000);
  const { page: theirs } = await atWork(browser, stack);
  await theirs.goto("/overview");
  for (const name of CHARTS) {
    const chart = theirs.getByRole("region", { name });
    await expect(chart).toContainText("0 in all");
    for (const state of ["Queued", "Running", "Finished", "Failed"]) {
      await expect(chart.getByRole("listitem").filter({ hasText: state })).toContainText("0 %");
    }
  }
  for (const name of NOT_YET) await expect(theirs.getByRole("region", { name })).toHaveCount(0);
  await expect(theirs.getByRole("radiogroup", { name: "Whose tasks" })).toHaveCount(0);
  const task = await start(theirs, { name: unique("counted"), example: "digits", parameters: { epochs: "1" } });
  await theirs.goto(`/training/${task}`);
  await expect(headerState(theirs, "Finished")).toBeVisible({ timeout: 60_000 });
  await theirs.goto("/overview");
  const finished = theirs.getByRole("region", { name: "Model training" }).getByRole("link", { name: /Finished/ });
  await expect(finished).toContainText("100 %");

  // Another page that was open all the while hears of it.
  await page.goto("/overview");
  await page.getByText("Everybody's", { exact: true }).click();
  await expect(page).toHaveURL(/owner=all/);
  const all = page.getByRole("region", { name: "Model training" });
  await expect(all).toContainText(/[1-9]\d* in all/);
  const total = Number(/(\d+) in all/.exec((await all.textContent()) ?? "")?.[1]);
  expect(total).toBeGreaterThan(0);
  await start(theirs, { name: unique("live"), example: "digits", parameters: { epochs: "1" } });
  await expect(all).toContainText(`${total + 1} in all`, { timeout: 30_000 });
  await expectNoMistakes(page, ["/overview?owner=all"]);
  await all.getByRole("link", { name: /Finished/ }).click();
  await expect(page).toHaveURL(/\/training\?.*owner=all/);
  await theirs.context().close();
});

test("the overview says what is free, and the first step for who has no task", async ({ browser, stack }) => {
  const { page } = await atWork(browser, stack);
  await page.goto("/overview");
  await expect(page.getByRole("heading", { name: "Devices in use" })).toBeVisible();
  await expect(page.getByText(/\d+ of \d+ in use/).first()).toBeVisible();
  await page.getByRole("link", { name: "Train the example" }).click();
  await expect(page.getByLabel("Code directory")).toHaveValue("examples/digits");
  await page.context().close();
});

test("the nodes page maps the pretended devices", async ({ page }) => {
  await page.goto("/nodes");
  await expect(page.getByRole("img", { name: /^Device \d+: / })).toHaveCount(16);
  await expect(page.getByText("NVIDIA GPU").first()).toBeVisible();
  await expect(page.getByText("Huawei NPU").first()).toBeVisible();
  for (const name of ["local-nvidia-gpu", "local-huawei-npu"]) {
    await expect(page.getByRole("row").filter({ hasText: name })).toContainText("Ready");
  }
});
