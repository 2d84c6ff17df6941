/** People sign in by others: servers of ours that speak what Microsoft Entra ID and WeChat speak (tests/providers). */
import type { Page } from "@playwright/test";
import { addressesOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, expectNoMistakesHere } from "../pages.ts";
import { signIn, signOut } from "../portal.ts";
import { accountName, atWork, elsewhere, lookAgain, row, SORRY } from "./people.ts";
import { expect, NOBODY, test } from "./stack.ts";

test.use({ others: true });

const FAMILY = "dev/ways-in";

/** At the provider, whose page asks who one is. */
async function chooseThere(page: Page, person: string): Promise<void> {
  await page.getByRole("button", { name: person, exact: true }).click();
}

async function makeAccount(page: Page, way: "Microsoft" | "WeChat", person: string, name: string): Promise<void> {
  await page.goto("/");
  await page.getByRole("button", { name: `Sign in by ${way}` }).click();
  await chooseThere(page, person);
  await expect(page.getByRole("heading", { level: 1, name: "A new account" })).toBeVisible();
  expect(new URL(page.url()).search, "what opens an account stays in the address").toBe("");
  await page.getByLabel("User name").fill(name);
  await page.getByRole("button", { name: "Make account and sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: SORRY })).toBeVisible();
}

/** An administrator, at `page`, gives a role to somebody, who looks again and is in. */
async function makeAdministrator(page: Page, name: string, theirs: Page): Promise<void> {
  await page.goto(`/users?words=${name}`);
  await page.getByRole("button", { name: `Edit roles: ${name}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: /^System Admin/ }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, name)).toContainText("System Admin");
  await lookAgain(theirs);
  await expect(theirs).toHaveURL(/\/overview/);
}

test("one signs in with account and password, by WeChat, or by Microsoft", {
  tag: ["@feature-40", "@protocol"],
}, async ({ page, browser, stack }) => {
  test.slow();
  const { page: first, person } = await atWork(browser, stack);
  await signOut(first, person.user);
  await signIn(first, person);
  await expect(first).toHaveURL(/\/overview/);
  await first.context().close();

  for (const [way, who] of [
    ["Microsoft", "grace"],
    ["WeChat", "小明"],
  ] as const) {
    const theirs = await elsewhere(browser, stack);
    const name = accountName(way.toLowerCase());
    await makeAccount(theirs, way, who, name);
    await makeAdministrator(page, name, theirs);
    await theirs.context().close();

    // In another browser, where they go to the page that they wanted to see.
    const again = await elsewhere(browser, stack);
    await again.goto("/users");
    await again.getByRole("button", { name: `Sign in by ${way}` }).click();
    await chooseThere(again, who);
    await expect(again).toHaveURL(/\/users$/);
    await expect(again.getByRole("heading", { level: 1, name: "Users" })).toBeVisible();
    await again.context().close();
  }
});

test("somebody links their account with Microsoft, signs in that way, and ends the link", async ({
  browser,
  stack,
}) => {
  test.slow();
  const { page, person } = await atWork(browser, stack, { roles: ["admin"] });
  await page.goto("/settings");
  const microsoft = page.getByRole("listitem").filter({ hasText: "Microsoft" });
  await microsoft.getByRole("button", { name: "Link" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Current password").fill(person.password);
  await dialog.getByRole("button", { name: "Go on to Microsoft" }).click();
  await chooseThere(page, "edsger");
  await expect(page).toHaveURL(/\/settings$/);
  await expect(microsoft).toContainText("edsger@example.com");

  const again = await elsewhere(browser, stack);
  await again.goto("/");
  await again.getByRole("button", { name: "Sign in by Microsoft" }).click();
  await chooseThere(again, "edsger");
  await expect(again.getByRole("button", { name: `Account of ${person.user}` })).toBeVisible();
  await again.context().close();

  await page.goto("/settings");
  await microsoft.getByRole("button", { name: "End link" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End link" }).click();
  await expect(microsoft).toContainText("Not linked.");
  await page.context().close();
});

test("who came by a provider signs in there again before they make an access token", async ({
  page,
  browser,
  stack,
}) => {
  test.slow();
  const theirs = await elsewhere(browser, stack);
  const name = accountName("again");
  await makeAccount(theirs, "Microsoft", "ada", name);
  await makeAdministrator(page, name, theirs);

  await theirs.goto("/account");
  await theirs.getByRole("button", { name: "New token" }).click();
  const dialog = theirs.getByRole("dialog", { name: "New token" });
  await expect(dialog.getByText("Show that it is you")).toBeVisible();
  await expect(dialog.getByLabel("Current password"), "the account has none").toBeHidden();
  await expectNoMistakesHere(theirs);
  await dialog.getByRole("button", { name: "Sign in again by Microsoft" }).click();
  // It asks who they are, whom it has just signed in.
  await chooseThere(theirs, "ada");
  await expect(theirs).toHaveURL(/\/account$/);
  await expect(theirs.getByText("You signed in again.")).toBeVisible();

  await theirs.getByRole("button", { name: "New token" }).click();
  await dialog.getByLabel("Token name").fill("nightly");
  await dialog.getByRole("button", { name: "Make token" }).click();
  await expect(theirs.getByRole("region", { name: "Access token" })).toContainText(/^atoll_/);
  await theirs.context().close();
});

test.describe("before signing in", () => {
  test.use({ storageState: NOBODY, expected: [/403/] });

  test("who cancels at the provider, or comes by a link of somebody else, is told so and led back", async ({
    page,
  }) => {
    await page.goto("/");
    await page.getByRole("button", { name: "Sign in by Microsoft" }).click();
    await chooseThere(page, "Cancel");
    await expect(page.getByRole("alert")).toContainText("Microsoft did not say who you are");
    await page.getByRole("link", { name: "Back to sign-in" }).click();
    await expect(page).toHaveURL(/\/sign-in$/);
    await page.goto("/sign-in/by/microsoft?code=of-another&state=of-another");
    await expect(page.getByText("This sign-in was not begun in this window")).toBeVisible();
    expect(new URL(page.url()).search).toBe("");
  });

  test("beside other ways the user name has the focus, and Enter signs in by the password", async ({ page, stack }) => {
    await page.goto("/");
    for (const way of ["Microsoft", "WeChat"]) {
      await expect(page.getByRole("button", { name: `Sign in by ${way}` })).toBeVisible();
    }
    await expect(page.getByLabel("User name")).toBeFocused();
    await page.keyboard.type(stack.admin.user);
    await page.keyboard.press("Tab");
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
    await page.keyboard.type(stack.admin.password);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/overview/);
  });

  test("the pages of ways in have no mistakes and fit a phone", async ({ page }) => {
    const paths = await addressesOf(page, FAMILY, { "/sign-in/by/$way": ["/sign-in/by/wechat"] });
    await expectNoMistakes(page, paths);
    await expectFitsPhone(page, paths);
  });
});
