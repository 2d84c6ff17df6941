/** An administrator changes, disables and deletes accounts; the person concerned sees it at once. */
import type { Page } from "@playwright/test";
import { choose, signIn, start, unique } from "../portal.ts";
import { accountName, atWork, find, makeFineRole, makeGroup, makeRole, row, step } from "./people.ts";
import { expect, test } from "./stack.ts";

async function change(page: Page, user: string, entry: string): Promise<void> {
  await page.goto(`/users?words=${user}`);
  await choose(page, `Actions for ${user}`, entry);
  await page.getByRole("dialog").getByRole("button", { name: entry }).click();
}

test("who is disabled is out at once, and back when enabled", async ({ page, browser, stack, expected }) => {
  expected.push(/status of 401/);
  const { page: theirs, person } = await atWork(browser, stack);
  await page.goto(`/users?words=${person.user}`);
  await choose(page, `Actions for ${person.user}`, "Disable");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Its roles, groups and virtual clusters are kept");
  await dialog.getByRole("button", { name: "Disable" }).click();
  await expect(row(page, person.user)).toContainText("Disabled");
  await theirs.goto("/training");
  await expect(theirs).toHaveURL(/\/sign-in/);
  await signIn(theirs, person);
  await expect(theirs.getByRole("alert")).toContainText("User name or password is wrong.");
  await choose(page, `Actions for ${person.user}`, "Enable");
  await expect(row(page, person.user)).toContainText("Active");
  // As the question said: what they were a member of they are again.
  await signIn(theirs, person);
  await expect(theirs.getByRole("button", { name: /^Virtual cluster / })).toContainText("default");
  await expect(theirs.getByRole("navigation", { name: "Main menu" })).toBeVisible();
  await theirs.context().close();
});

test("who is signed out everywhere is out at once, and comes in again", async ({ page, browser, stack, expected }) => {
  expected.push(/status of 401/);
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

test("a one-time password is shown once and has to be changed", async ({ page, browser, stack, expected }) => {
  expected.push(/status of 401/);
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

test("the console counts users, groups and roles and leads to the page for a new one of each", {
  tag: ["@feature-259", "@local"],
}, async ({ page, stack }) => {
  const count = async (part: string) =>
    Number(await page.locator(".console-part").filter({ hasText: part }).locator(".console-count").textContent());
  await page.goto("/user-management");
  await expect(page.locator(".console-part")).toHaveCount(3);
  const before = await count("All users");
  expect(before).toBeGreaterThanOrEqual(1);
  const roles = await count("All roles");
  expect(roles).toBeGreaterThanOrEqual(3);
  const groups = await count("All groups");
  await stack.newcomer();
  await makeGroup(page, unique("counted"), /^User/);
  await makeRole(page, unique("counted"), /^Annotation platform/);
  await page.goto("/user-management");
  // Others make some beside this one.
  await expect.poll(() => count("All users")).toBeGreaterThan(before);
  await expect.poll(() => count("All groups")).toBeGreaterThan(groups);
  await expect.poll(() => count("All roles")).toBeGreaterThan(roles);
  for (const [way, path, field] of [
    ["New user", /\/users\/new/, "User name"],
    ["New group", /\/groups\/new/, "Group name"],
    ["New role", /\/roles\/new/, "Role name"],
  ] as const) {
    await page.goto("/user-management");
    await page.getByRole("link", { name: way }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByLabel(field)).toBeFocused();
  }
});

test.describe("who does not administer", () => {
  test("sees no way to user management, and none of its pages opens", {
    tag: ["@feature-260", "@feature-304", "@local"],
  }, async ({ page, browser, stack, expected }) => {
    expected.push(/status of 403/);
    test.setTimeout(300_000);
    // The last one is of single permissions: of administration all but these pages.
    const near = await makeFineRole(page, unique("near"), [/^Manage virtual clusters/, /^See nodes/, /^See the audit/]);
    for (const role of ["user", "annotator", near]) {
      const { page: theirs } = await atWork(browser, stack, { roles: [role] });
      await theirs.goto("/settings");
      const menu = theirs.getByRole("navigation", { name: "Main menu" });
      await expect(menu).toBeVisible();
      for (const name of ["Console", "Users", "Groups", "Roles"]) {
        await expect(menu.getByRole("link", { name, exact: true })).toHaveCount(0);
      }
      await expect(theirs.getByRole("link", { name: "User management" })).toHaveCount(0);
      for (const path of ["/user-management", "/users", "/groups", "/roles"]) {
        await theirs.goto(path);
        await expect(theirs.getByText("You may not see this")).toBeVisible();
        if (path === "/user-management") continue;
        await theirs.goto(`${path}/new`);
        await expect(theirs.getByText("You may not see this")).toBeVisible();
        await theirs.goto(`${path}/admin`);
        await expect(theirs.getByText("You may not see this")).toBeVisible();
      }
      await theirs.goto("/users/import");
      await expect(theirs.getByText("You may not see this")).toBeVisible();
      await expect(theirs.getByLabel("File with users")).toHaveCount(0);
      await theirs.context().close();
    }

    // An administrator gets there by the bar at the top, and by the menu.
    await page.goto("/overview");
    await page.getByRole("banner").getByRole("link", { name: "User management" }).click();
    for (const name of ["Users", "Groups", "Roles"]) {
      await page.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name, exact: true }).click();
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      // Without a group there is no table of them, but the way to the first one.
      const first = page.getByRole("main").getByRole("link", { name: "New group" });
      await expect(page.locator("table").or(first).first()).toBeVisible();
    }
  });
});

test("the list shows user name, nickname, phone, e-mail and what may be done", {
  tag: ["@feature-261", "@local"],
}, async ({ page, stack }) => {
  const person = await stack.newcomer();
  await page.goto(`/users?words=${person.user}`);
  await choose(page, `Actions for ${person.user}`, "Edit details");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Phone").fill("+86 10 1234 5678");
  await dialog.getByLabel("E-mail").fill(`${person.user}@example.org`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  const headings = page.getByRole("columnheader");
  for (const [index, name] of ["User name", "Nickname", "Phone", "E-mail", "Roles", "State", "Actions"].entries()) {
    await expect(headings.nth(index)).toHaveText(name);
  }
  const cells = row(page, person.user).getByRole("cell");
  await expect(cells.nth(0)).toHaveText(person.user);
  await expect(cells.nth(1)).toHaveText(/^Person \d+$/);
  await expect(cells.nth(2)).toHaveText("+86 10 1234 5678");
  await expect(cells.nth(3)).toHaveText(`${person.user}@example.org`);
  await expect(cells.nth(6).getByRole("button")).toHaveCount(4);
});

test.describe("a name that somebody has", () => {
  test.use({ expected: [/409/] });
  test("is given to nobody else, which is said at its field", {
    tag: ["@feature-262", "@local"],
  }, async ({ page, stack }) => {
    const taken = await stack.newcomer();
    await page.goto("/users/new");
    await page.getByLabel("User name").fill(accountName("free"));
    await page.getByLabel("Nickname").fill("Free");
    await page.getByRole("button", { name: "Add another user" }).click();
    await page.getByLabel("User name").nth(1).fill(taken.user);
    await page.getByLabel("Nickname").nth(1).fill("Second");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("checkbox", { name: /^User/ }).check();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Submit" }).click();
    await expect(step(page)).toContainText("User information");
    const second = page.getByRole("group", { name: "User 2" });
    await expect(second).toContainText("This name is taken.");
    await expect(second.getByLabel("User name")).toBeFocused();
    await expect(page.getByRole("group", { name: "User 1" })).not.toContainText("taken");
    // All or none: the first one was not made either.
    await page.getByLabel("User name").nth(1).fill(accountName("other"));
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Submit" }).click();
    await expect(page).toHaveURL(/\/users$/);
  });
});

test("roles are edited, groups are added and the account is deleted from the list", {
  tag: ["@feature-263", "@local"],
}, async ({ page, browser, stack, expected }) => {
  expected.push(/status of 401/);
  const { page: theirs, person } = await atWork(browser, stack);
  const group = unique("joined");
  await makeGroup(page, group, /^User/);
  await page.goto(`/users?words=${person.user}`);
  await page.getByRole("button", { name: `Edit roles: ${person.user}` }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("checkbox", { name: /^User/ })).toBeChecked();
  await dialog.getByRole("checkbox", { name: /^Annotation person/ }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row(page, person.user)).toContainText("Annotation person");

  await page.getByRole("button", { name: `Add to groups: ${person.user}` }).click();
  await find(page, dialog.getByLabel("Groups"), group);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await row(page, person.user).getByRole("link", { name: person.user }).click();
  await expect(page.getByRole("link", { name: group })).toBeVisible();

  await page.goto(`/users?words=${person.user}`);
  await page.getByRole("button", { name: `Delete: ${person.user}` }).click();
  await expect(dialog).toContainText("Files stay");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Nothing fits these filters")).toBeVisible();
  await theirs.goto("/overview");
  await expect(theirs).toHaveURL(/\/sign-in/);
  await signIn(theirs, person);
  await expect(theirs.getByRole("alert")).toContainText("User name or password is wrong.");
  await theirs.context().close();
});

test("of the account that the installation made only the password can be changed", {
  tag: ["@feature-264", "@local"],
}, async ({ browser, stack, expected }) => {
  expected.push(/status of 409/);
  const { page } = await atWork(browser, stack, { roles: ["admin", "user"] });
  const group = (await makeGroup(page, unique("keepers"), /^User/)).split("/").at(-1) ?? "";
  await page.goto("/users?words=admin");
  const admin = row(page, "admin");
  await expect(admin.getByRole("button")).toHaveCount(2);
  await expect(admin.getByRole("button", { name: "Reset password: admin" })).toBeVisible();
  await admin.getByRole("button", { name: /^The installation made this account/ }).hover();
  await expect(page.getByRole("tooltip", { name: /Only its password can be changed/ })).toBeVisible();
  await admin.getByRole("link", { name: "admin" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "admin" })).toBeVisible();
  await expect(page.locator(".page-actions").getByRole("button")).toHaveCount(2);
  await expect(page.locator(".page-actions")).toContainText("Reset password");
  // The server holds it, too, whatever a page offers.
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const refused = await page.evaluate(
    async ([user, group]) => {
      const ask = async (path: string, method: string, body: object) => {
        const headers = {
          "X-Atoll-Request": "1",
          "Content-Type": "application/json",
        };
        const answer = await fetch(`/api/v1/users/${user}${path}`, {
          method,
          headers,
          body: JSON.stringify(body),
        });
        return [answer.status, ((await answer.json()) as { code: string }).code];
      };
      return [
        await ask("/roles", "PUT", { roles: ["user"] }),
        await ask("/groups", "PUT", { groups: [group] }),
        await ask("/delete", "POST", { stop_tasks: true }),
        await ask("/disable", "POST", { stop_tasks: false }),
        await ask("", "PATCH", { nickname: "Somebody else" }),
      ];
    },
    [id, group] as const,
  );
  expect(refused).toEqual(Array.from({ length: 5 }, () => [409, "protected_account"]));
  await page.context().close();
});

test("other administrators are changed and deleted", {
  tag: ["@feature-265", "@local"],
}, async ({ page, stack }) => {
  const person = await stack.newcomer({ roles: ["admin"] });
  await page.goto(`/users?words=${person.user}`);
  await choose(page, `Actions for ${person.user}`, "Edit details");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Nickname").fill("Second administrator");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row(page, person.user)).toContainText("Second administrator");
  await page.getByRole("button", { name: `Edit roles: ${person.user}` }).click();
  await dialog.getByRole("checkbox", { name: /^System Admin/ }).uncheck();
  await dialog.getByRole("checkbox", { name: /^User/ }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row(page, person.user)).not.toContainText("System Admin");
  await page.getByRole("button", { name: `Delete: ${person.user}` }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("Nothing fits these filters")).toBeVisible();
});

test.describe("two administrators at one user", () => {
  test.use({ expected: [/412/] });
  test("the slower one is told who was quicker and what is stored, and loses nothing typed", async ({
    page,
    browser,
    stack,
  }) => {
    const person = await stack.newcomer();
    const { page: theirs, person: other } = await atWork(browser, stack, { roles: ["admin"] });
    for (const each of [page, theirs]) {
      await each.goto(`/users?words=${person.user}`);
      await choose(each, `Actions for ${person.user}`, "Edit details");
    }
    const [mine, others] = [page.getByRole("dialog"), theirs.getByRole("dialog")];
    await others.getByLabel("Nickname").fill("Theirs");
    await others.getByLabel("Phone").fill("+49 30 7654321");
    await others.getByRole("button", { name: "Save" }).click();
    await expect(others).toBeHidden();

    await mine.getByLabel("Nickname").fill("Mine");
    await mine.getByRole("button", { name: "Save" }).click();
    await expect(mine.getByRole("alert")).toContainText(`${person.user} was changed since you opened this`);
    await expect(mine.getByRole("alert")).toContainText(`The last change is by ${other.user}.`);
    await expect(mine.getByLabel("Nickname")).toHaveValue("Mine");
    await mine.getByRole("button", { name: "Load anew" }).click();
    await expect(mine.getByLabel("Phone")).toHaveValue("+49 30 7654321");
    await expect(mine.getByLabel("Nickname")).toHaveValue("Mine");
    await expect(mine.getByRole("status")).toContainText("Stored now: Theirs, +49 30 7654321");
    await mine.getByRole("button", { name: "Save" }).click();
    await expect(mine).toBeHidden();
    await expect(row(page, person.user)).toContainText("Mine");
    await expect(row(page, person.user)).toContainText("+49 30 7654321");
    await theirs.context().close();
  });
});

test("user name and nickname lead to the page of the user", {
  tag: ["@feature-266", "@local"],
}, async ({ page, stack }) => {
  const person = await stack.newcomer();
  for (const link of [person.user, /^Person \d+$/]) {
    await page.goto(`/users?words=${person.user}`);
    await row(page, person.user).getByRole("link", { name: link, exact: true }).click();
    await expect(page).toHaveURL(/\/users\/[^/]+$/);
    await expect(page.getByRole("heading", { level: 1, name: person.user })).toBeVisible();
    await expect(page.getByRole("heading", { level: 2, name: "Information" })).toBeVisible();
    await expect(page.locator(".facts").first()).toContainText(person.user);
  }
});

test.describe("an account with tasks", () => {
  test.use({ expected: [/status of (401|409)/] });
  test("is deleted only with them", async ({ page, browser, stack }) => {
    const { page: theirs, person } = await atWork(browser, stack);
    await page.goto(`/users?words=${person.user}`);
    await page.getByRole("button", { name: `Delete: ${person.user}` }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("checkbox")).toHaveCount(0);
    // It begins while the question is open.
    await start(theirs, {
      name: unique("hold"),
      example: "devices",
      parameters: { seconds: "600" },
    });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(dialog).toContainText("1 task of this user has not ended.");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(dialog).toContainText("Tick this to go on.");
    await dialog.getByRole("checkbox").check();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("Nothing fits these filters")).toBeVisible();
    await theirs.context().close();
  });
});

test("users are found by words, state, role and group, which stand in the address", async ({ page, stack }) => {
  const person = await stack.newcomer();
  await page.goto("/users");
  await page.getByRole("textbox", { name: /^Name, nickname/ }).fill(person.user);
  await expect(page).toHaveURL(new RegExp(`words=${person.user}`));
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("combobox", { name: "Any role" }).click();
  await page.locator(".ant-select-item-option").getByText("User", { exact: true }).click();
  await expect(page).toHaveURL(/role=user/);
  await expect(row(page, person.user)).toBeVisible();
  await page.reload();
  await expect(page.getByTitle("User", { exact: true }).first()).toBeVisible();
  await expect(row(page, person.user)).toBeVisible();
  await page.getByRole("radiogroup", { name: "State" }).getByText("Disabled").click();
  await expect(page).toHaveURL(/active=false/);
  await expect(page.getByText("Nothing fits these filters")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).toHaveURL(/\/users$/);
});
