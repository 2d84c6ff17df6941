import { expect, test } from "./stack.ts";

test("the overview says what runs, what is free, and the way to a model", async ({ page }) => {
  await page.goto("/overview");
  await expect(page.getByRole("heading", { name: "My training tasks" })).toBeVisible();
  for (const state of ["Queued", "Running", "Finished", "Failed"]) {
    await expect(page.locator(".counts").getByText(state, { exact: true })).toBeVisible();
  }
  await expect(page.getByRole("heading", { name: "Devices in use" })).toBeVisible();
  await expect(page.getByText(/\d+ of \d+ in use/).first()).toBeVisible();
  await page.getByRole("link", { name: "Start from an example" }).click();
  await expect(page.getByLabel("Code directory")).toHaveValue("examples/digits");
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
