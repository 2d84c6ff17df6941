/** An administrator makes accounts, one or ten at once, in three steps. */
import { randomBytes } from "node:crypto";
import { signIn } from "../portal.ts";
import { accountName, elsewhere, find, step, tabTo } from "./people.ts";
import { expect, test } from "./stack.ts";

test("a new user is information, roles and a last look, and on the way back nothing is lost", {
  tag: ["@feature-267", "@feature-268", "@feature-270", "@local"],
}, async ({ page, browser, stack }) => {
  const name = accountName("made");
  await page.goto("/users/new");
  await expect(step(page)).toContainText("User information");
  await expect(page.getByRole("button", { name: "Back" })).toHaveCount(0);
  // User name and nickname are needed, the rest is not.
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("This is needed.")).toHaveCount(2);
  await page.getByLabel("User name").fill(name);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("This is needed.")).toHaveCount(1);
  await expect(page.getByLabel("Nickname")).toBeFocused();
  await page.getByLabel("Nickname").fill("Made by hand");
  await page.getByRole("button", { name: "Next" }).click();

  // One role at least.
  await expect(step(page)).toContainText("Roles");
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("Choose at least one role.")).toBeVisible();
  await page.getByRole("checkbox", { name: /^User/ }).check();
  await find(page, page.getByLabel("Virtual clusters (optional)"), "default");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Back" }).click();
  await expect(step(page)).toContainText("User information");
  await expect(page.getByLabel("User name")).toHaveValue(name);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByRole("checkbox", { name: /^User/ })).toBeChecked();
  await page.getByRole("button", { name: "Next" }).click();

  await expect(step(page)).toContainText("Confirm");
  const confirm = page.getByRole("region", { name: /Confirm/ });
  for (const words of [name, "Made by hand", "User", "default"]) await expect(confirm).toContainText(words);
  const password = await page.getByLabel(`Initial password of ${name}`).inputValue();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByLabel(`Initial password of ${name}`)).toHaveValue(password);
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/users$/);

  const theirs = await elsewhere(browser, stack);
  await signIn(theirs, { user: name, password });
  await expect(theirs).toHaveURL(/\/password/);
  await theirs.context().close();
});

test("ten users are made at once, and no more", {
  tag: ["@feature-269", "@local"],
}, async ({ page }) => {
  const stem = accountName("batch");
  await page.goto("/users/new");
  for (let index = 0; index < 10; index += 1) {
    if (index > 0) await page.getByRole("button", { name: "Add another user" }).click();
    const fields = page.getByRole("group", {
      name: `User ${index + 1}`,
      exact: true,
    });
    await expect(fields.getByLabel("User name")).toBeFocused();
    await page.keyboard.type(`${stem}-${index}`);
    await fields.getByLabel("Nickname").fill(`Number ${index}`);
  }
  await expect(page.getByRole("button", { name: "Add another user" })).toBeDisabled();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("checkbox", { name: /^User/ }).check();
  await page.getByRole("button", { name: "Next" }).click();
  const passwords = await page
    .getByLabel(/^Initial password of/)
    .evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value));
  expect(new Set(passwords).size).toBe(10);
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/users$/);
  await page.getByRole("textbox", { name: /^Name, nickname/ }).fill(stem);
  await expect(page.getByRole("row")).toHaveCount(11);
});

test("an initial password of some strength is proposed, and is what the administrator makes of it", {
  tag: ["@feature-271", "@local"],
}, async ({ page, browser, context, stack }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const name = accountName("first");
  await page.goto("/users/new");
  await page.getByLabel("User name").fill(name);
  await page.getByLabel("Nickname").fill("First");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("checkbox", { name: /^User/ }).check();
  await page.getByRole("button", { name: "Next" }).click();
  const field = page.getByLabel(`Initial password of ${name}`);
  await expect(field).toBeFocused();
  const proposed = await field.inputValue();
  expect(proposed).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])[A-Za-z0-9]{16}$/);
  await page.getByRole("button", { name: `Copy the password of ${name}` }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(proposed);
  await page.getByRole("button", { name: `Propose another password for ${name}` }).click();
  await expect(field).not.toHaveValue(proposed);
  await field.fill("short");
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByText("At least 10 characters.")).toBeVisible();
  const edited = randomBytes(12).toString("base64url");
  await field.fill(edited);
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/users$/);
  const theirs = await elsewhere(browser, stack);
  await signIn(theirs, { user: name, password: edited });
  await expect(theirs).toHaveURL(/\/password/);
  await theirs.context().close();
});

test("a new user is made by keyboard alone", async ({ page }) => {
  const name = accountName("keys");
  await page.goto("/overview");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search" })).toBeFocused();
  await page.keyboard.type("new user");
  await expect(page.getByRole("option", { selected: true })).toContainText("New user");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("User name")).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press("Tab");
  await page.keyboard.type("By keys");
  await page.keyboard.press("Enter");
  const user = page.getByRole("checkbox", { name: /^User/ });
  await expect(page.getByRole("checkbox").first()).toBeFocused();
  for (let left = 5; left > 0 && !(await user.evaluate((box) => box === document.activeElement)); left -= 1) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Space");
  await expect(user).toBeChecked();
  await page.keyboard.press("Enter");
  const password = page.getByLabel(`Initial password of ${name}`);
  await expect(password).toBeFocused();
  const proposed = await password.inputValue();
  // Back to the first step, and forth again: nothing is lost.
  await tabTo(page, "Back");
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("Roles");
  await expect(user).toBeChecked();
  await tabTo(page, "Back");
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("User information");
  await expect(page.getByLabel("User name")).toBeFocused();
  await expect(page.getByLabel("User name")).toHaveValue(name);
  await expect(page.getByLabel("Nickname")).toHaveValue("By keys");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("checkbox").first()).toBeFocused();
  await expect(user).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(password).toBeFocused();
  await expect(password).toHaveValue(proposed);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/users$/);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search" })).toBeFocused();
  await page.keyboard.type(name);
  await expect(page.getByRole("option", { name })).toBeVisible();
  await expect(page.getByRole("option", { selected: true })).toContainText(name);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
});

test("leaving with something typed asks first, and Escape stays", async ({ page }) => {
  await page.goto("/users/new");
  await page.getByLabel("User name").fill("unfinished");
  await page.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Overview" }).click();
  await expect(page.getByText("Leave without saving?")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("Leave without saving?")).toBeHidden();
  await expect(page.getByLabel("User name")).toHaveValue("unfinished");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Leave" }).click();
  await expect(page).toHaveURL(/\/users$/);
});
