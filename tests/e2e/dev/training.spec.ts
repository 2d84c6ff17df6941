import { toTheModelFile } from "../journeys.ts";
import { choose, enter, headerState, start, unique } from "../portal.ts";
import { atWork } from "./people.ts";
import { expect, NOBODY, test } from "./stack.ts";

test("the form says its rules while one types and starts nothing that breaks them", {
  tag: ["@feature-159", "@local"],
}, async ({ page }) => {
  await page.goto("/training/new");
  await page.getByLabel("Name", { exact: true }).fill("two words");
  await expect(page.getByText("Only letters, digits and underscores.")).toBeVisible();
  await page.getByLabel("Start file").fill("train.sh");
  await expect(page.getByText("It must be a Python file (.py).")).toBeVisible();
  await expect(page.getByRole("radio", { name: "No, one machine" })).toBeChecked();
  await page.getByLabel("Name", { exact: true }).fill("");
  await page.getByRole("button", { name: "Start training" }).click();
  await expect(page.getByText("This is needed.").first()).toBeVisible();
  await expect(page).toHaveURL(/\/training\/new/);
});

test("leaving a form with unsaved input asks first", async ({ page }) => {
  await page.goto("/training/new");
  await page.getByLabel("Name", { exact: true }).fill("unfinished");
  await page.getByRole("link", { name: "Overview" }).click();
  await expect(page.getByText("Leave without starting?")).toBeVisible();
  await page.getByRole("button", { name: "Stay" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("unfinished");
});

test.describe("a request that the server refuses", () => {
  test.use({ expected: [/422/] });
  test("is said at the field, in the language of the person", async ({ browser, stack }) => {
    const { page } = await atWork(browser, stack); // the language stays theirs
    await page.goto("/training/new");
    await page.getByRole("button", { name: "digits", exact: true }).click();
    const name = unique("too_much");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("CPU limit (cores)").fill("5000");
    await expect(page.locator(".verdict")).toContainText("Cannot start");
    await page.getByRole("button", { name: "Start training" }).click();
    const field = page.locator(".ant-form-item").filter({ has: page.getByLabel("CPU limit (cores)") });
    await expect(field.locator(".ant-form-item-explain-error")).toBeVisible();
    await expect(page).toHaveURL(/\/training\/new/);
    const english = await field.locator(".ant-form-item-explain-error").textContent();
    expect(english).toMatch(/[a-z]{3}/);
    await page.getByRole("button", { name: "Language" }).click();
    await page.getByText("中文").click();
    // What was typed is still there.
    await expect(page.getByLabel("作业名称", { exact: true })).toHaveValue(name);
    await expect(page.getByLabel("CPU 上限（核）")).toHaveValue("5000");
    await page.getByRole("button", { name: "开始训练" }).click();
    const same = page.locator(".ant-form-item").filter({ has: page.getByLabel("CPU 上限（核）") });
    await expect(same.locator(".ant-form-item-explain-error", { hasText: /[\u4e00-\u9fff]/ })).toBeVisible();
    await page.context().close();
  });
});

test("the panel beside the form says what would be used, and how it is written as code", async ({ page, stack }) => {
  await page.goto("/training/new");
  await page.getByRole("button", { name: "devices", exact: true }).click();
  const name = unique("panel");
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByRole("radio", { name: "NVIDIA GPU" }).check();
  await page.getByRole("radiogroup", { name: "Devices", exact: true }).getByText("2", { exact: true }).click();
  const panel = page.getByRole("complementary", { name: "What would happen" });
  await expect(panel).toContainText("Starts now");
  await expect(panel).toContainText("2 × NVIDIA GPU");
  await expect(panel.getByText(/^\d of 8$/)).toBeVisible();
  await expect(panel).toContainText(`${stack.url}/api/v1/`);
  await expect(panel).toContainText(`"name": "${name}"`);
  await panel.getByRole("tab", { name: "Python" }).click();
  await expect(panel.getByRole("tabpanel")).toContainText("import");
});

test("from the browser to the model file", {
  tag: ["@feature-144a", "@feature-158", "@feature-300a", "@feature-300b", "@local"],
}, async ({ page }) => {
  await toTheModelFile(page);
});

test("filters and sort live in the address and come back with it", async ({ page }) => {
  const name = unique("filtered");
  await start(page, { name, example: "digits", parameters: { epochs: "1" } });
  await page.goto("/training");
  await page.getByLabel("Name or description").fill(name);
  await expect(page).toHaveURL(new RegExp(`words=${name}`));
  await page.getByRole("columnheader", { name: "Name" }).click();
  await expect(page).toHaveURL(/sort=name/);
  await page.reload();
  await expect(page.getByLabel("Name or description")).toHaveValue(name);
  await expect(page.getByRole("columnheader", { name: "Name" })).toHaveAttribute("aria-sort", "ascending");
});

test.describe("somebody new", () => {
  test.use({ storageState: NOBODY, expected: [/401/] });
  test("sees an empty list that says how to begin", async ({ page, stack }) => {
    const person = await stack.newcomer();
    await enter(page, person, `${person.password}-2`);
    await page.goto("/training");
    await expect(page.getByText("No training yet")).toBeVisible();
    await page.goto("/training?words=nothing_is_called_so");
    await expect(page.getByText("No task fits these filters")).toBeVisible();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect(page.getByText("No training yet")).toBeVisible();
  });
});

test("a running task is stopped from the list, which changes by itself", {
  tag: ["@feature-148", "@local"],
}, async ({ page }) => {
  const name = unique("hold");
  await start(page, { name, example: "devices", parameters: { seconds: "600" } });
  await page.goto(`/training?words=${name}`);
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("Running", { timeout: 60_000 });
  await row.getByRole("button", { name: `Stop ${name}` }).click();
  const answered = page.waitForResponse((response) => response.url().endsWith("/stop"));
  await page.getByRole("dialog").getByRole("button", { name: "Stop" }).click();
  expect((await answered).status()).toBe(202);
  await page.mouse.move(0, 0);
  await expect(row).toContainText("Stopped", { timeout: 60_000 });
});

test("a task is copied into the form, and deleted from all lists", async ({ page }) => {
  const name = unique("copied");
  await start(page, { name, example: "digits", parameters: { epochs: "2" } });
  await expect(headerState(page, "Finished")).toBeVisible({ timeout: 60_000 });

  await page.goto(`/training?words=${name}`);
  await choose(page, `More actions for ${name}`, "Copy to a new one");
  await page.waitForURL(/\/training\/new\?copy=/);
  await expect(page.getByLabel("Code directory")).toHaveValue("examples/digits");
  await expect(page.getByLabel("Value of parameter 1")).toHaveValue("2");

  await page.goto(`/training?words=${name}`);
  await choose(page, `More actions for ${name}`, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No task fits these filters")).toBeVisible();
  await page.reload();
  await expect(page.getByText("No task fits these filters")).toBeVisible();
});
