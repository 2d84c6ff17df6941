import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { type Person, signOut } from "../portal.ts";
import { expect, NOBODY, test } from "./stack.ts";

test.use({ storageState: NOBODY, expected: [/401/] }); // nobody is signed in yet, a wrong password is answered so

async function fillIn(page: Page, { user, password }: Person): Promise<void> {
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password", { exact: true }).fill(password);
}

test("the address of the platform leads to the sign-in page", { tag: ["@feature-38", "@local"] }, async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/sign-in/);
  await expect(page.getByLabel("User name")).toBeFocused();
  await expect(page.getByLabel("Password", { exact: true })).toBeVisible();
});

test("the version is visible before and after signing in", {
  tag: ["@feature-37a", "@local"],
}, async ({ page, stack }) => {
  await page.goto("/");
  await expect(page.getByRole("contentinfo")).toContainText(/version \d+\.\d+\.\d+/);
  await fillIn(page, stack.admin);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/overview/);
  await page.getByRole("button", { name: "Account of admin" }).click();
  await expect(page.getByText(/^Version \d+\.\d+\.\d+/)).toBeVisible();
});

test("a wrong password is told, in words, and opens nothing", async ({ page, stack }) => {
  await page.goto("/training");
  await fillIn(page, { user: (await stack.newcomer()).user, password: "not the password" });
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("User name or password is wrong.");
  await expect(page).toHaveURL(/\/sign-in/);
});

test("the first sign-in demands a new password and then leads where the person wanted to go", async ({
  page,
  stack,
}) => {
  const person = await stack.newcomer();
  await page.goto("/training");
  await fillIn(page, person);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/password/);
  // No other page opens before that.
  await page.goto("/overview");
  await expect(page).toHaveURL(/\/password/);
  const wanted = randomBytes(18).toString("base64url");
  await page.getByLabel("Current password").fill(person.password);
  await page.getByLabel("New password", { exact: true }).fill("short");
  await page.getByLabel("New password again").fill("other");
  await page.getByRole("button", { name: "Save password" }).click();
  await expect(page.locator(".ant-form-item-explain-error")).toHaveCount(2);
  await page.getByLabel("New password", { exact: true }).fill(wanted);
  await page.getByLabel("New password again").fill(wanted);
  await page.getByRole("button", { name: "Save password" }).click();
  await page.waitForURL(/\/(overview|training)/);
  await expect(page.getByRole("navigation", { name: "Main menu" })).toBeVisible();

  await signOut(page, person.user);
  await fillIn(page, person);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("User name or password is wrong.");
  await fillIn(page, { ...person, password: wanted });
  await page.keyboard.press("Enter");
  await expect(page.getByRole("navigation", { name: "Main menu" })).toBeVisible();
  await expect(page).not.toHaveURL(/\/password/);
});

test("signing out ends the session", async ({ page, stack }) => {
  await page.goto("/");
  await fillIn(page, stack.admin);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/overview/);
  await signOut(page, stack.admin.user);
  await page.goto("/overview");
  await expect(page).toHaveURL(/\/sign-in/);
});
