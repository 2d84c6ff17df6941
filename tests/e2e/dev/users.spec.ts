/** An administrator disables an account, resets a password and signs people out; the person concerned sees it at once. */
import { randomBytes } from "node:crypto";
import type { Browser, Page } from "@playwright/test";
import { choose, enter, type Person } from "../portal.ts";
import { expect, NOBODY, type Stack, test } from "./stack.ts";

/** Somebody who works in a browser of their own. */
async function atWork(browser: Browser, stack: Stack): Promise<{ page: Page; person: Person }> {
  const person = await stack.newcomer();
  const page = await (await browser.newContext({ baseURL: stack.url, storageState: NOBODY })).newPage();
  const password = randomBytes(18).toString("base64url");
  await enter(page, person, password);
  return { page, person: { ...person, password } };
}

async function change(page: Page, user: string, entry: string): Promise<void> {
  await page.goto(`/users?words=${user}`);
  await choose(page, `Actions for ${user}`, entry);
  await page.getByRole("dialog").getByRole("button", { name: entry }).click();
}

async function signIn(page: Page, { user, password }: Person): Promise<void> {
  await page.goto("/");
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
}

test("who is disabled is out at once, and back when enabled", async ({ page, browser, stack }) => {
  const { page: theirs, person } = await atWork(browser, stack);
  await change(page, person.user, "Disable");
  await expect(page.getByRole("row", { name: person.user })).toContainText("Disabled");
  await theirs.goto("/training");
  await expect(theirs).toHaveURL(/\/sign-in/);
  await signIn(theirs, person);
  await expect(theirs.getByRole("alert")).toContainText("User name or password is wrong.");
  await choose(page, `Actions for ${person.user}`, "Enable");
  await expect(page.getByRole("row", { name: person.user })).toContainText("Active");
  await signIn(theirs, person);
  await expect(theirs.getByRole("navigation", { name: "Main menu" })).toBeVisible();
  await theirs.context().close();
});

test("who is signed out everywhere is out at once, and comes in again", async ({ page, browser, stack }) => {
  const { page: theirs, person } = await atWork(browser, stack);
  await theirs.goto("/training");
  await expect(theirs.getByRole("navigation", { name: "Main menu" })).toBeVisible();
  await change(page, person.user, "End sessions");
  await theirs.goto("/training");
  await expect(theirs).toHaveURL(/\/sign-in/);
  await signIn(theirs, person);
  await expect(theirs.getByRole("navigation", { name: "Main menu" })).toBeVisible();
  await theirs.context().close();
});

test("a one-time password is shown once and has to be changed", async ({ page, browser, stack }) => {
  const { page: theirs, person } = await atWork(browser, stack);
  await change(page, person.user, "Reset password");
  const told = page.getByRole("region", { name: "One-time password" });
  await expect(told).toBeVisible();
  const [shown = ""] = await told.allInnerTexts();
  const password = shown.trim();
  await page.getByRole("button", { name: "I have noted it" }).click();
  await expect(page.getByText(password)).toHaveCount(0);
  await theirs.goto("/training");
  await expect(theirs).toHaveURL(/\/sign-in/);
  await signIn(theirs, { ...person, password });
  await theirs.waitForURL(/\/password/);
  await theirs.context().close();
});

test("users and their words are found, and only administrators see the page", async ({ page, browser, stack }) => {
  const { page: theirs, person } = await atWork(browser, stack);
  await page.goto("/users");
  await page.getByRole("textbox", { name: "Name or full name" }).fill(person.user);
  await expect(page).toHaveURL(new RegExp(`words=${person.user}`));
  await expect(page.getByRole("row")).toHaveCount(2);
  await expect(theirs.getByRole("navigation", { name: "Main menu" })).not.toContainText("Users");
  await theirs.context().close();
});
