import { readFileSync } from "node:fs";
import { api, expect, headerState, start, test, unique } from "./portal.ts";

test("the form says its rules while one types and starts nothing that breaks them", {
  tag: ["@feature-145", "@feature-154", "@feature-157", "@feature-159"],
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

test("from the browser to the model file", {
  tag: ["@feature-144", "@feature-158", "@feature-300"],
}, async ({ page }) => {
  const name = unique("digits");
  await page.goto("/overview");
  await page.getByRole("link", { name: "New training" }).first().click();
  await page.waitForURL(/\/training\/new/);
  await page.getByRole("button", { name: "digits", exact: true }).click();
  await expect(page.getByText("Starts now")).toBeVisible();
  const id = await start(page, { name, example: "digits", parameters: { epochs: "25", pause: "0.4" } });

  // The log comes live: lines are there while the task still runs.
  await expect(page.getByRole("log")).toContainText(/epoch\s+1\/25/, { timeout: 60_000 });
  await expect(page.getByText(/^Live/)).toBeVisible();
  await expect(headerState(page, "Running")).toBeVisible();
  await expect(page.getByRole("log")).toContainText(/epoch\s+25\/25/, { timeout: 90_000 });
  await expect(headerState(page, "Finished")).toBeVisible({ timeout: 30_000 });
  const told = await page.getByRole("log").textContent();
  const accuracy = Number(/held-out accuracy (0\.\d+); model written/.exec(told ?? "")?.[1]);
  expect(accuracy).toBeGreaterThanOrEqual(0.95);

  await page.getByLabel("Search the log").fill("epoch  25/25");
  await expect(page.getByText("0/1")).toBeVisible();

  await page.getByRole("tab", { name: "Overview" }).click();
  await expect(page.getByRole("heading", { name: "Where the time went" })).toBeVisible();
  await expect(page.locator(".time-line")).toContainText("Running");

  await page.getByRole("tab", { name: "Charts" }).click();
  await expect(page.getByRole("img", { name: /^loss: 25 points/ })).toBeVisible();
  await expect(page.getByRole("img", { name: /^accuracy: 25 points/ })).toBeVisible();

  await page.getByRole("tab", { name: "Files" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download model.npz" }).click();
  const file = readFileSync(await (await download).path());
  expect(file.subarray(0, 4).toString("latin1")).toBe("PK\u0003\u0004"); // .npz is a zip of arrays
  expect(file.length).toBeGreaterThan(10_000);
  await page.getByRole("button", { name: "Look at summary.json" }).click();
  await expect(page.getByRole("dialog")).toContainText('"accuracy"');
  await page.keyboard.press("Escape");

  await page.goto("/training");
  const row = page.getByRole("row").filter({ hasText: name });
  await expect(row).toContainText("Finished");
  await expect(row).toContainText("numpy");
  await expect(row.locator("time")).toBeVisible();
  await row.getByRole("link", { name }).click();
  await expect(page).toHaveURL(new RegExp(`/training/${id}`));
});

test("filters and sort live in the address and come back with it", async ({ page }) => {
  await page.goto("/training");
  await page.getByLabel("Name or description").fill("digits");
  await expect(page).toHaveURL(/words=digits/);
  await page.getByRole("columnheader", { name: "Name" }).click();
  await expect(page).toHaveURL(/sort=name/);
  await page.reload();
  await expect(page.getByLabel("Name or description")).toHaveValue("digits");
  await expect(page.getByRole("columnheader", { name: "Name" })).toHaveAttribute("aria-sort", "ascending");
});

test("a running task is stopped from the list, which changes by itself", { tag: "@feature-148" }, async ({ page }) => {
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

test("a task that finds no free device waits, says why, and starts when one becomes free", {
  tag: ["@feature-219", "@simulated"],
}, async ({ page }) => {
  test.setTimeout(300_000);
  const { virtual_clusters } = await (async () => {
    await page.goto("/overview");
    return api<{ virtual_clusters: { devices: { type: string; free: number }[] }[] }>(page, "/overview");
  })();
  const device = virtual_clusters[0]?.devices.find((each) => each.type.includes("gpu"));
  test.skip(!device || device.free < 8, "needs 8 free GPUs");
  const parameters = { seconds: "900" };
  const first = unique("holds_all");
  const holder = await start(page, { name: first, example: "devices", parameters, device: "NVIDIA GPU", devices: 8 });
  await expect(headerState(page, "Running")).toBeVisible({ timeout: 60_000 });

  await page.goto("/training/new");
  await page.getByRole("radio", { name: "NVIDIA GPU" }).check();
  await page.getByRole("radiogroup", { name: "Devices", exact: true }).getByText("1", { exact: true }).click();
  await expect(page.locator(".verdict")).toContainText(/Will wait|Fill in the rest/);

  const waiter = await start(page, { name: unique("waits"), example: "devices", parameters, device: "NVIDIA GPU", devices: 1 });
  await expect(headerState(page, "Queued")).toBeVisible({ timeout: 30_000 });
  await expect(page.locator(".state-line")).toContainText("still missing: 1 GPU", { timeout: 90_000 });
  await api(page, `/tasks/${holder}/stop`, "POST");
  await expect(headerState(page, "Running")).toBeVisible({ timeout: 90_000 });
  await api(page, `/tasks/${waiter}/stop`, "POST");
  await expect(headerState(page, "Stopped")).toBeVisible({ timeout: 60_000 });
});
