import { expect, test } from "../portal.ts";
import { credentials } from "./installation.ts";

test("an administrator finds an account among the users", async ({ page }) => {
  const { user } = credentials("administrator");
  await page.goto(`/users?words=${user}`);
  const row = page.getByRole("row").filter({ has: page.getByText(user, { exact: true }) });
  await expect(row).toContainText("System Admin");
  await expect(row).toContainText("Active");
});

test("the overview counts tasks, devices and the machines of the cluster", async ({ page }) => {
  await page.goto("/overview");
  await expect(page.getByRole("region", { name: "Model training" })).toContainText(/\d+ in all/);
  await expect(page.getByText(/\d+ of \d+ in use/).first()).toBeVisible();
  await expect(page.locator(".figures > div").filter({ hasText: "Nodes ready" })).toContainText(/\d+\/\d+/);
});
