import { randomBytes } from "node:crypto";
import { expect, signOut, test } from "../portal.ts";
import { credentials, keepPassword, sessions } from "./installation.ts";

test.describe.configure({ mode: "serial" });
test.use({ expected: [/401|ERR_FAILED/] }); // a wrong password is answered so, a request that is broken off ends so

for (const [who, of] of [
  ["user", "a person"],
  ["administrator", "an administrator"],
] as const) {
  test(`the first sign-in of ${of} demands a new password and then leads where the person wanted to go`, async ({
    page,
    context,
  }) => {
    const { user, password } = credentials(who);
    await page.goto("/training");
    await page.getByLabel("User name").fill(user);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(/\/(password|training)/);
    if (page.url().includes("/password")) {
      // No other page opens before that.
      await page.goto("/overview");
      await expect(page).toHaveURL(/\/password/);
      const wanted = randomBytes(18).toString("base64url");
      await page.getByLabel("Current password").fill(password);
      await page.getByLabel("New password", { exact: true }).fill("short");
      await page.getByLabel("New password again").fill("other");
      await page.getByRole("button", { name: "Save password" }).click();
      await expect(page.locator(".ant-form-item-explain-error")).toHaveCount(2);
      await page.getByLabel("New password", { exact: true }).fill(wanted);
      await page.getByLabel("New password again").fill(wanted);
      await page.getByRole("button", { name: "Save password" }).click();
      await page.waitForURL(/\/(overview|training)/);
      keepPassword(who, wanted);
    }
    await expect(page.getByRole("navigation", { name: "Main menu" })).toBeVisible();
    await context.storageState({ path: sessions[who] });
  });
}

test("what failed for one person is not told to the next", async ({ page }) => {
  const { user, password } = credentials("administrator");
  await page.goto("/services");
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/services/);
  await page.route("**/services/files/restart", (route) => route.abort());
  await page.getByRole("button", { name: "Restart files" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
  const told = page.getByText("The connection broke while files was restarting");
  await expect(told).toBeVisible();
  await signOut(page, user);
  await expect(page.getByLabel("User name")).toBeVisible();
  await expect(told).toHaveCount(0);
});
