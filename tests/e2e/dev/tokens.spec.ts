/** People see where they are signed in and end it, and give their programs access tokens in place of a password. */
import type { APIRequestContext, Page, PlaywrightWorkerArgs } from "@playwright/test";
import { addressesOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, expectNoMistakesHere, LOOKS, settled, wear } from "../pages.ts";
import { choose, signIn } from "../portal.ts";
import { atWork, elsewhere } from "./people.ts";
import { expect, type Stack, test } from "./stack.ts";

type Playwright = PlaywrightWorkerArgs["playwright"];

/** A program that shows a token and nothing else. */
async function program(playwright: Playwright, stack: Stack, token: string): Promise<APIRequestContext> {
  return playwright.request.newContext({
    baseURL: stack.url,
    extraHTTPHeaders: { Authorization: `Bearer ${token}` },
    storageState: { cookies: [], origins: [] },
  });
}

function panel(page: Page, title: string) {
  return page.locator("section.panel").filter({ has: page.getByRole("heading", { level: 2, name: title }) });
}

function row(page: Page, title: string, words: string | RegExp) {
  return panel(page, title).getByRole("row").filter({ hasText: words });
}

/** Make a token by the form; returns it as it is shown, which closes nothing. */
async function makeToken(page: Page, name: string, { writes = false, permission = "" } = {}): Promise<string> {
  await page.goto("/account");
  await page.getByRole("button", { name: "New token" }).click();
  const form = page.getByRole("dialog", { name: "New token" });
  await form.getByLabel("Token name").fill(name);
  if (writes) await form.getByRole("radio", { name: "Reads and changes" }).check();
  if (permission) {
    await form.getByRole("radio", { name: "Only some of it" }).check();
    await form.getByRole("checkbox", { name: permission }).check();
  }
  await form.getByRole("button", { name: "Make token" }).click();
  const shown = page.getByRole("region", { name: "Access token" });
  await expect(shown).toContainText(/^atoll_[0-9A-Za-z]{49}$/);
  return ((await shown.textContent()) ?? "").trim();
}

test("a token is made by keyboard alone, copied, used by a program, and ended", async ({
  browser,
  playwright,
  stack,
}) => {
  test.setTimeout(240_000);
  const { page, person } = await atWork(browser, stack);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await choose(page, `Account of ${person.user}`, "Account");
  await expect(page.getByRole("heading", { level: 1, name: "Account" })).toBeVisible();
  await expect(panel(page, "Access tokens")).toContainText("No access token yet");

  await page.getByRole("button", { name: "New token" }).focus();
  await page.keyboard.press("Enter");
  const form = page.getByRole("dialog", { name: "New token" });
  await expect(form.getByLabel("Token name")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(form.getByText("This is needed.")).toBeVisible();
  await page.keyboard.type("nightly run");
  await page.keyboard.press("Tab");
  await expect(form.getByRole("radio", { name: "Reads only" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(form.getByRole("radio", { name: "Reads and changes" })).toBeChecked();
  await page.keyboard.press("Enter");

  const shown = page.getByRole("dialog", { name: /nightly run/ });
  await expect(shown).toBeVisible();
  await page.keyboard.press("Escape");
  await shown.getByRole("button", { name: "Copy", exact: true }).first().click();
  const token = await page.evaluate(() => navigator.clipboard.readText());
  expect(token).toMatch(/^atoll_[0-9A-Za-z]{49}$/);
  await expect(shown.getByRole("region", { name: "Access token" })).toHaveText(token);
  for (const name of ["Access token", "Example with curl"]) {
    const block = shown.locator(".code-block").filter({ has: page.getByRole("region", { name }) });
    const of = await block.getByRole("region").boundingBox();
    const beside = await block.getByRole("button").boundingBox();
    expect(beside?.x, "the button lies on the text").toBeGreaterThanOrEqual((of?.x ?? 0) + (of?.width ?? 0));
  }
  await shown.getByRole("button", { name: "I have copied it" }).click();
  await expect(shown).toBeHidden();
  await expect(page.getByRole("button", { name: "New token" })).toBeFocused();
  const listed = row(page, "Access tokens", "nightly run");
  await expect(listed).toContainText("AI platform");
  await expect(listed).toContainText("Never");
  expect(await page.content()).not.toContain(token);

  const script = await program(playwright, stack, token);
  expect((await (await script.get("/api/v1/session")).json()).user.name).toBe(person.user);
  expect((await script.put("/api/v1/settings", { data: { refresh_seconds: 60 } })).status()).toBe(200);
  expect((await script.post("/api/v1/access-tokens", { data: {} })).status()).toBe(403);
  await page.reload();
  await expect(listed).not.toContainText("Never");
  await expect(listed).toContainText("127.0.0.1");

  await page.getByRole("button", { name: "End the token nightly run" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
  await expect(page.getByText("The token nightly run was ended.")).toBeVisible();
  await expect(panel(page, "Access tokens")).toContainText("No access token yet");
  const refused = await script.get("/api/v1/session");
  expect([refused.status(), (await refused.json()).code]).toEqual([401, "wrong_token"]);
  await script.dispose();
  await page.context().close();
});

test("a token that reads only, and one for a single permission, do no more", async ({ browser, playwright, stack }) => {
  const { page } = await atWork(browser, stack);
  const reads = await program(playwright, stack, await makeToken(page, "reads"));
  const single = await program(
    playwright,
    stack,
    await makeToken(page, "single", { writes: true, permission: "See own tasks, logs and charts" }),
  );
  const settings = { data: { refresh_seconds: 30 } };
  expect((await reads.get("/api/v1/settings")).status()).toBe(200);
  expect((await reads.put("/api/v1/settings", settings)).status()).toBe(403);
  expect((await single.get("/api/v1/tasks")).status()).toBe(200);
  expect((await single.get("/api/v1/settings")).status()).toBe(403);
  await page.goto("/account");
  await expect(row(page, "Access tokens", "reads")).toContainText("Reads only");
  await expect(row(page, "Access tokens", "single")).toContainText("See own tasks, logs and charts");
  await page.context().close();
});

test("an administrator sees the tokens of a user and ends one", async ({ page, browser, playwright, stack }) => {
  const { page: theirs, person } = await atWork(browser, stack);
  const script = await program(playwright, stack, await makeToken(theirs, "forgotten"));
  expect((await script.get("/api/v1/tasks")).status()).toBe(200);
  await page.goto(`/users?words=${person.user}`);
  await page.getByRole("link", { name: person.user, exact: true }).click();
  await expect(row(page, "Access tokens", "forgotten")).toContainText("127.0.0.1");
  await page.getByRole("button", { name: "End the token forgotten" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
  await expect(panel(page, "Access tokens")).toBeHidden();
  expect((await script.get("/api/v1/tasks")).status()).toBe(401);
  await theirs.context().close();
});

test.describe("sessions", () => {
  test.use({ expected: [/401/] });

  test("are seen, and ended one by one and all others at once", async ({ browser, stack }) => {
    test.setTimeout(240_000);
    const { page, person } = await atWork(browser, stack);
    const others = [await elsewhere(browser, stack), await elsewhere(browser, stack), await elsewhere(browser, stack)];
    for (const other of others) {
      await signIn(other, person);
      await other.waitForURL(/\/overview/);
    }
    await page.goto("/account");
    const sessions = panel(page, "Sessions").locator("tbody").getByRole("row");
    await expect(sessions).toHaveCount(4);
    await expect(sessions.first()).toContainText("This one");
    await expect(sessions.first()).toContainText(/Chrome \d+, Linux/);
    await expect(panel(page, "Sessions").getByText("This one")).toHaveCount(1);

    await sessions
      .nth(1)
      .getByRole("button", { name: /^End the session of/ })
      .click();
    await expect(sessions).toHaveCount(3);
    await page.getByRole("button", { name: "End all others" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End all others" }).click();
    await expect(page.getByText("You are signed in here only.")).toBeVisible();
    await expect(sessions).toHaveCount(1);
    await expect(page.getByRole("button", { name: "End all others" })).toBeHidden();
    for (const other of others) {
      await other.goto("/training");
      await expect(other).toHaveURL(/\/sign-in/);
      await other.context().close();
    }
    await panel(page, "Sessions").getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    await page.context().close();
  });
});

const ONCE = { en: "I have copied it", "zh-CN": "我已复制" };
const NEW = { en: ["New token", "Token name", "Make token"], "zh-CN": ["新建令牌", "令牌名称", "创建令牌"] };

for (const { tag, ...seen } of LOOKS) {
  const { language, appearance } = seen;
  test(`axe finds nothing in the account and its dialogs, ${language}, ${appearance}`, { tag }, async ({
    browser,
    stack,
  }) => {
    test.setTimeout(240_000);
    const { page } = await atWork(browser, stack);
    await wear(page, seen);
    await expectNoMistakes(page, await addressesOf(page, "dev/tokens"));
    const [open, name, make] = NEW[language] as [string, string, string];
    await page.getByRole("button", { name: open }).click();
    await page.getByLabel(name).fill("seen");
    await page.getByRole("radio").nth(3).check();
    await expectNoMistakesHere(page);
    await page.getByRole("radio").nth(2).check();
    await page.getByRole("button", { name: make }).click();
    await expect(page.getByRole("button", { name: ONCE[language] })).toBeVisible();
    await expectNoMistakesHere(page);
    await page.getByRole("button", { name: ONCE[language] }).click();
    await expectNoMistakes(page, ["/account"]);
    await page.context().close();
  });
}

test("the account is not wider than a phone, with a token of a long name", { tag: "@long" }, async ({
  browser,
  stack,
}) => {
  const { page } = await atWork(browser, stack);
  await makeToken(page, "x".repeat(64));
  await page.getByRole("button", { name: ONCE.en }).click();
  await settled(page);
  await expectFitsPhone(page, ["/account"]);
  await page.context().close();
});
