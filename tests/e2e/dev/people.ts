/** What the tests of users, groups and roles have in common: people with browsers of their own, and what they do there. */
import { randomBytes } from "node:crypto";
import type { Browser, Locator, Page } from "@playwright/test";
import { enter, expect, type Person, signIn, unique } from "../portal.ts";
import { NOBODY, type Stack } from "./stack.ts";

export interface AtWork {
  page: Page;
  person: Person;
}

/** A browser in which nobody is signed in. */
export async function elsewhere(browser: Browser, stack: Stack): Promise<Page> {
  return (await browser.newContext({ baseURL: stack.url, storageState: NOBODY })).newPage();
}

/** Somebody who works in a browser of their own. */
export async function atWork(
  browser: Browser,
  stack: Stack,
  otherwise: Parameters<Stack["newcomer"]>[0] = {},
): Promise<AtWork> {
  const person = await stack.newcomer(otherwise);
  const page = await elsewhere(browser, stack);
  const password = randomBytes(18).toString("base64url");
  await enter(page, person, password);
  return { page, person: { ...person, password } };
}

/** Somebody who registers, and signs in with that account in a browser of their own. */
export async function registered(browser: Browser, stack: Stack): Promise<AtWork> {
  const page = await elsewhere(browser, stack);
  const person = { user: accountName("new"), password: randomBytes(12).toString("base64url") };
  await page.goto("/");
  await page.getByRole("link", { name: "Register account" }).click();
  await register(page, person);
  await page.waitForURL(/\/sign-in/);
  await signIn(page, person);
  await page.waitForURL(/\/no-access/);
  return { page, person };
}

/** Fill in the page of registration and send it. */
export async function register(page: Page, { user, password }: Person): Promise<void> {
  await expect(page.getByRole("heading", { level: 1, name: "Register account" })).toBeVisible();
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Nickname").fill(`Nick of ${user}`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("Password again").fill(password);
  await page.getByRole("button", { name: "Register" }).click();
}

/** A name that no other account of this run has; accounts have no underscores. */
export function accountName(name: string): string {
  return unique(name).replaceAll("_", "-");
}

export function row(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
}

/** A dialog once it has unfolded. What is clicked before may land beside the button, and it takes the focus with it. */
export async function unfolded(page: Page): Promise<Locator> {
  const dialog = page.getByRole("dialog");
  await expect(dialog).toBeVisible();
  await settled(page);
  return dialog;
}

async function settled(page: Page): Promise<void> {
  await expect(page.locator('.ant-modal[class*="ant-zoom"]')).toHaveCount(0);
}

/** Choose in a field where a few letters find what there is. */
export async function find(page: Page, field: Locator, words: string): Promise<void> {
  await field.waitFor();
  await settled(page);
  await field.click();
  await page.keyboard.type(words);
  const option = page.locator(".ant-select-item-option-active").filter({ hasText: words });
  await expect(option).toBeVisible();
  await page.keyboard.press("Enter");
}

/** Go on by the keyboard until what has the focus is that. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.getByRole("button", { name }).or(page.getByRole("checkbox", { name }));
  await expect(async () => {
    await page.keyboard.press("Tab");
    await expect(wanted).toBeFocused({ timeout: 100 });
  }).toPass({ intervals: [0] });
}

/** The step of a wizard that is shown. */
export function step(page: Page): Locator {
  return page.getByRole("list", { name: "Steps" }).locator("[aria-current=step]");
}

/** Make a group with the role of that name, by the three steps. Returns the address of its page. */
export async function makeGroup(page: Page, name: string, role: RegExp): Promise<string> {
  await page.goto("/groups/new");
  await page.getByLabel("Group name").fill(name);
  await page.getByLabel("Description").fill(`What ${name} is for`);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("checkbox", { name: role }).check();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("button", { name: "Submit" }).click();
  await page.waitForURL(/\/groups\/(?!new)[^/]+$/);
  return new URL(page.url()).pathname;
}

/** Make a role of one of the two kinds, by the three steps. Returns the address of its page. */
export async function makeRole(page: Page, name: string, kind: RegExp): Promise<string> {
  await page.goto("/roles/new");
  await page.getByLabel("Role name").fill(name);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill(`What ${name} is for`);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByRole("checkbox", { name: kind }).check();
  await page.getByRole("button", { name: "Submit" }).click();
  await page.waitForURL(/\/roles\/(?!new)[^/]+$/);
  return new URL(page.url()).pathname;
}

/** Make a role of single permissions, whose words begin so. Returns its id. */
export async function makeFineRole(page: Page, name: string, permissions: RegExp[]): Promise<string> {
  await page.goto("/roles/new");
  await page.getByLabel("Role name").fill(name);
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Description" }).fill(`What ${name} is for`);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Finer permissions").click();
  for (const each of permissions) await page.getByRole("checkbox", { name: each }).check();
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

/** Somebody without rights asks the server again whether they have some by now. */
export async function lookAgain(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Look again" }).click();
}

export const SORRY = "Sorry, you are not authorised to access this page";

/** Give somebody a role by the list of users, as an administrator. */
export async function giveRole(page: Page, person: Person, role: RegExp): Promise<void> {
  await page.goto(`/users?words=${person.user}`);
  await page.getByRole("button", { name: `Edit roles: ${person.user}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: role }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
}
