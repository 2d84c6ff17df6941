import { toTheModelFile } from "../journeys.ts";
import { api, expect, headerState, start, test, unique } from "../portal.ts";

test("from the browser to the model file", {
  tag: ["@feature-144a", "@feature-158", "@feature-300a", "@feature-300b"],
}, async ({ page }) => {
  await toTheModelFile(page);
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
  expect(device?.free ?? 0, "all GPUs are free: nobody has left a task").toBeGreaterThanOrEqual(8);
  const parameters = { seconds: "900" };
  const first = unique("holds_all");
  const holder = await start(page, { name: first, example: "devices", parameters, device: "NVIDIA GPU", devices: 8 });
  await expect(headerState(page, "Running")).toBeVisible({ timeout: 60_000 });

  await page.goto("/training/new");
  await page.getByRole("button", { name: "devices", exact: true }).click(); // before a program is chosen it says nothing
  await page.getByRole("radio", { name: "NVIDIA GPU" }).check();
  await page.getByRole("radiogroup", { name: "Devices", exact: true }).getByText("1", { exact: true }).click();
  await expect(page.locator(".verdict")).toContainText(/Will wait|Fill in the rest/);

  const waiter = await start(page, {
    name: unique("waits"),
    example: "devices",
    parameters,
    device: "NVIDIA GPU",
    devices: 1,
  });
  await expect(headerState(page, "Queued")).toBeVisible({ timeout: 30_000 });
  await expect(page.locator(".state-line")).toContainText("still missing: 1 GPU", { timeout: 90_000 });
  await api(page, `/tasks/${holder}/stop`, "POST");
  await expect(headerState(page, "Running")).toBeVisible({ timeout: 90_000 });
  await api(page, `/tasks/${waiter}/stop`, "POST");
  await expect(headerState(page, "Stopped")).toBeVisible({ timeout: 60_000 });
});
