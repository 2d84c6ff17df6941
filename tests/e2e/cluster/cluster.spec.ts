import { expect, test } from "../portal.ts";

test("the nodes page maps every device and lists every machine", async ({ page }) => {
  await page.goto("/nodes");
  await expect(page.getByRole("img", { name: /^Device \d+: idle/ }).first()).toBeVisible();
  await expect(page.getByText("NVIDIA GPU").first()).toBeVisible();
  await expect(page.getByText("Huawei NPU").first()).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "Ready" }).first()).toBeVisible();
  await page.getByText("Worker", { exact: true }).first().click();
  await expect(page.getByRole("row").filter({ hasText: "Ready" }).first()).toBeVisible();
});

test("the services page shows every service, its log, and restarts one until it is healthy", async ({ page }) => {
  test.setTimeout(420_000);
  await page.goto("/overview");
  await page.getByRole("link", { name: "Services" }).first().click();
  for (const name of ["api", "jobs", "files", "gateway", "database"]) {
    await expect(page.getByRole("row").filter({ hasText: name }).first()).toBeVisible();
  }
  await page.getByRole("button", { name: "Log of files" }).click();
  await expect(page.getByRole("log")).not.toBeEmpty();
  await page.keyboard.press("Escape");
  const done = page.getByText(/files was restarted in/);
  await page.getByRole("button", { name: "Restart files" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
  await expect(done).toBeVisible({ timeout: 120_000 });
  await expect(page.getByRole("row").filter({ hasText: "files" }).first()).toContainText("Running", {
    timeout: 60_000,
  });
});

test("the ports page shows what listens, who may come, and that the nodes are so", async ({ page }) => {
  await page.goto("/overview");
  await page.getByRole("link", { name: "Ports" }).first().click();
  await expect(page.getByText("All that listens has a row in this table")).toBeVisible({ timeout: 30_000 });
  const etcd = page.getByRole("row").filter({ hasText: "2379/tcp" });
  await expect(etcd).toContainText("masters");
  await expect(etcd).toContainText("nobody");
  await expect(page.getByRole("row").filter({ hasText: "443/tcp" }).filter({ hasText: "portal" })).toContainText(
    "everybody",
  );
});

test("a run of the installer is a matrix of phases and nodes", async ({ page }) => {
  await page.goto("/overview");
  await page.getByRole("link", { name: "Installer runs" }).click();
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("rowheader").first()).toBeVisible();
  const cell = page.locator(".matrix").getByRole("button", { name: / · / }).first();
  await cell.click();
  await expect(page.getByRole("heading", { name: /^Journal of .+ · / })).toBeVisible();
});
