/** People make accounts for themselves; until an administrator gives them something, they see what they lack. */
import { randomBytes } from "node:crypto";
import { api, signIn, signOut } from "../portal.ts";
import { accountName, atWork, elsewhere, lookAgain, register, registered, row, SORRY } from "./people.ts";
import { expect, NOBODY, test } from "./stack.ts";

test.describe("before signing in", () => {
  test.use({ storageState: NOBODY, expected: [/401|409/] });

  test("the sign-in page leads to the page on which one registers", {
    tag: ["@feature-41", "@local"],
  }, async ({ page }) => {
    await page.goto("/");
    await expect(page).toHaveURL(/\/sign-in/);
    await page.getByRole("link", { name: "Register account" }).click();
    await expect(page).toHaveURL(/\/register/);
    await expect(page.getByRole("heading", { level: 1, name: "Register account" })).toBeVisible();
    await expect(page.getByLabel("User name")).toBeFocused();
    await page.getByRole("link", { name: "Back to sign-in" }).click();
    await expect(page).toHaveURL(/\/sign-in/);
  });

  test("who registers says user name, nickname and password, and comes back to the sign-in page", {
    tag: ["@feature-42", "@local"],
  }, async ({ page }) => {
    const person = { user: accountName("new"), password: randomBytes(12).toString("base64url") };
    await page.goto("/register");
    await page.getByRole("button", { name: "Register" }).click();
    for (const field of ["User name", "Nickname", "Password", "Password again"]) {
      await expect(page.getByLabel(field, { exact: true })).toHaveAttribute("aria-invalid", "true");
    }
    await expect(page).toHaveURL(/\/register/);
    await register(page, person);
    await page.waitForURL(/\/sign-in/);
    await expect(page.getByRole("status")).toContainText(`The account ${person.user} was made.`);
    await expect(page.getByLabel("User name")).toHaveValue(person.user);
    await expect(page.getByLabel("Password", { exact: true })).toBeFocused();
    await page.keyboard.type(person.password);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/no-access/);
  });

  test("a name that is taken is told at its field, and nothing typed is lost", async ({ page, stack }) => {
    const taken = await stack.newcomer();
    await page.goto("/register");
    await register(page, { user: taken.user, password: "a long enough password" });
    const field = page.locator(".ant-form-item").filter({ has: page.getByLabel("User name") });
    await expect(field).toContainText("This name is taken.");
    await expect(page.getByLabel("User name")).toBeFocused();
    await expect(page.getByLabel("Nickname")).toHaveValue(`Nick of ${taken.user}`);
  });
});

test("who has just registered is told what is missing and whom to ask, whichever page they want", {
  tag: ["@feature-43", "@local"],
}, async ({ browser, stack }) => {
  const { page, person } = await registered(browser, stack);
  await expect(page.getByRole("heading", { level: 1, name: SORRY })).toBeVisible();
  const needed = page.getByRole("list", { name: "What is needed" });
  await expect(needed).toContainText("None of your roles and groups gives you rights yet.");
  await expect(needed).toContainText("You are not a member of a virtual cluster yet.");
  await expect(page.getByText(/Ask an administrator/)).toContainText(person.user);
  for (const path of ["/overview", "/training", "/training/new", "/users", "/user-management"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: SORRY })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Main menu" })).toHaveCount(0);
  }
  await lookAgain(page);
  await expect(page.getByRole("status")).toContainText("nothing has changed yet");
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.context().close();
});

test("a new user can use the platform once an administrator has given a role, and not before", {
  tag: ["@feature-44a", "@local"],
}, async ({ page, browser, stack }) => {
  const { page: theirs, person } = await registered(browser, stack);
  await lookAgain(theirs);
  await expect(theirs.getByRole("status")).toContainText("nothing has changed yet");

  // To be a member of a virtual cluster gives no rights.
  await page.goto("/users");
  const { items } = await api<{ items: { id: string }[] }>(page, `/users?words=${person.user}`);
  const [cluster] = (await api<{ items: { id: string; name: string }[] }>(page, "/virtual-clusters")).items.filter(
    ({ name }) => name === "default",
  );
  await api(page, `/virtual-clusters/${cluster?.id}/members`, "POST", { users: items.map(({ id }) => id) });
  await lookAgain(theirs);
  await expect(theirs.getByRole("heading", { level: 1, name: SORRY })).toBeVisible();
  await expect(theirs.getByText("None of your roles and groups gives you rights yet.")).toBeVisible();

  await page.goto(`/users?words=${person.user}`);
  await page.getByRole("button", { name: `Edit roles: ${person.user}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: /^User/ }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(row(page, person.user)).toContainText("User");

  await lookAgain(theirs);
  await expect(theirs).toHaveURL(/\/overview/);
  await theirs.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Training" }).click();
  await expect(theirs.getByRole("heading", { level: 1, name: "Training" })).toBeVisible();
  await signOut(theirs, person.user);
  await signIn(theirs, person);
  await expect(theirs).toHaveURL(/\/overview/);
  await theirs.context().close();
});

test("who has a role and no virtual cluster is told of that alone", async ({ browser, stack }) => {
  const person = await stack.newcomer({ virtual_clusters: [] });
  const page = await elsewhere(browser, stack);
  await signIn(page, person);
  await page.getByLabel("Current password").fill(person.password);
  await page.getByLabel("New password", { exact: true }).fill(`${person.password}-2`);
  await page.getByLabel("New password again").fill(`${person.password}-2`);
  await page.getByRole("button", { name: "Save password" }).click();
  await expect(page.getByRole("heading", { level: 1, name: SORRY })).toBeVisible();
  await expect(page.getByText("You have rights by a role.")).toBeVisible();
  await expect(page.getByText("You are not a member of a virtual cluster yet.")).toBeVisible();
  await page.context().close();
});

test("whose rights are taken away while they work is told so with the next thing they do", async ({
  page,
  browser,
  stack,
  expected,
}) => {
  expected.push(/status of 403/);
  const { page: theirs, person } = await atWork(browser, stack);
  await theirs.goto("/training");
  await expect(theirs.getByRole("heading", { level: 1, name: "Training" })).toBeVisible();
  await page.goto(`/users?words=${person.user}`);
  await page.getByRole("button", { name: `Edit roles: ${person.user}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: /^User/ }).uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await theirs.getByLabel("Name or description").fill("anything");
  await expect(theirs.getByRole("heading", { level: 1, name: SORRY })).toBeVisible();
  await theirs.context().close();
});
