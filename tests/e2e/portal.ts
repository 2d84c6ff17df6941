/** The portal as a person uses it; every test also fails on an error in the console of any page that it opens. */
import { type Browser, type BrowserContext, test as base, expect, type Page } from "@playwright/test";

export const test = base.extend<{ expected: RegExp[]; clean: undefined }>({
  /** Console errors that a test provokes on purpose; a test may add to it. */
  expected: async ({ context: _ }, use) => use([]),
  clean: [
    async ({ browser, context, expected }, use) => {
      const errors: string[] = [];
      const leave = watch(browser, context, errors);
      await use(undefined);
      leave();
      expect(errors.filter((error) => !expected.some((each) => each.test(error)))).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Collect what goes wrong on all pages of the test's own context and of those it opens for others. */
function watch(browser: Browser, own: BrowserContext, errors: string[]): () => void {
  const listen = (context: BrowserContext) => {
    context.on("console", (message) => {
      if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
    });
    context.on("weberror", (error) => errors.push(String(error.error())));
    return context;
  };
  const open = browser.newContext;
  listen(own);
  browser.newContext = async (options) => listen(await open.call(browser, options));
  return () => {
    browser.newContext = open;
  };
}

/** What the API says, asked from inside the page: the same session, the same certificates. */
export async function api<T>(page: Page, path: string, method = "GET", body?: object): Promise<T> {
  return page.evaluate(
    async ([address, verb, content]) => {
      const headers = { "X-Atoll-Request": "1", ...(content && { "Content-Type": "application/json" }) };
      const sent = content && JSON.stringify(content);
      const answer = await fetch(`/api/v1${address}`, { method: verb, headers, body: sent });
      if (!answer.ok) throw new Error(`${verb} ${address}: ${answer.status} ${await answer.text()}`);
      return answer.status === 204 ? undefined : answer.json();
    },
    [path, method, body] as const,
  ) as Promise<T>;
}

export interface Person {
  user: string;
  password: string;
}

/** Sign in for the first time, by the pages, and choose a password. */
export async function enter(page: Page, person: Person, password: string): Promise<void> {
  await page.goto("/");
  await page.getByLabel("User name").fill(person.user);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Current password").fill(person.password, { timeout: 60_000 });
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByLabel("New password again").fill(password);
  await page.getByRole("button", { name: "Save password" }).click();
  const before = ["/", "/sign-in", "/password"];
  await page.waitForURL(({ pathname }) => !before.includes(pathname)); // the first page that their rights open
}

/** Sign in once more, with the password that was chosen; leads to where the person wanted to go. */
export async function signIn(page: Page, { user, password }: Person): Promise<void> {
  await page.goto("/");
  await page.getByLabel("User name").fill(user);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
}

/** Sign out by the menu of the account; a click while the menu still unfolds may land beside the entry. */
export async function signOut(page: Page, user: string): Promise<void> {
  const entry = page.getByText("Sign out", { exact: true });
  await expect(async () => {
    if (/\/sign-in/.test(page.url())) return;
    if (!(await entry.isVisible())) {
      await page.getByRole("button", { name: `Account of ${user}` }).click({ timeout: 5_000 });
    }
    await entry.click({ timeout: 5_000 });
    await expect(page).toHaveURL(/\/sign-in/, { timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
}

/** Choose from the menu that a button opens; a click while it still unfolds may land beside the entry. */
export async function choose(page: Page, opener: string, entry: string): Promise<void> {
  await page.getByRole("button", { name: opener }).click();
  await expect(page.getByRole("menuitem", { name: entry })).toBeVisible();
  await expect(page.locator('.ant-dropdown[class*="ant-slide"]')).toHaveCount(0);
  await page.getByRole("menuitem", { name: entry }).click();
}

let made = 0;

/** A name that no other task of this run has. */
export function unique(name: string): string {
  made += 1;
  return `${name}_${Date.now().toString(36)}_${made}`;
}

interface Start {
  name: string;
  example: string;
  parameters?: Record<string, string>;
  device?: string;
  devices?: number;
}

/** Fill in the form from an example and start it; returns the id of the task. */
export async function start(page: Page, { name, example, parameters = {}, device, devices }: Start): Promise<string> {
  await page.goto("/training/new");
  await page.getByRole("button", { name: example, exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  for (const [index, [key, value]] of Object.entries(parameters).entries()) {
    await page.getByRole("button", { name: "Add a parameter" }).click();
    await page.getByLabel(`Name of parameter ${index + 1}`).fill(key);
    await page.getByLabel(`Value of parameter ${index + 1}`).fill(value);
  }
  if (device) await page.getByRole("radio", { name: device }).check();
  if (devices !== undefined) {
    await page
      .getByRole("radiogroup", { name: "Devices", exact: true })
      .getByText(String(devices), { exact: true })
      .click();
  }
  await page.getByRole("button", { name: "Start training" }).click();
  await page.waitForURL(/\/training\/[^/?]+\?tab=log/);
  return new URL(page.url()).pathname.split("/").at(-1) ?? "";
}

/** The state that the header of a task's page shows. */
export function headerState(page: Page, words: string) {
  return page.locator(".page-title").getByText(words, { exact: true });
}
