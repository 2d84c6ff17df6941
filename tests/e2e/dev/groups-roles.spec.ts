/** Groups and roles: made in three steps, given to people, and what they then may do. */
import { choose, unique } from "../portal.ts";
import { atWork, find, lookAgain, makeGroup, makeRole, registered, row, SORRY, step, tabTo } from "./people.ts";
import { expect, test } from "./stack.ts";

test("the roles that every installation has are System Admin, User and Annotation person", {
  tag: ["@feature-272", "@local"],
}, async ({ page }) => {
  await page.goto("/roles");
  for (const name of ["System Admin", "User", "Annotation person"])
    await expect(row(page, name)).toContainText("Preset");
  await expect(page.getByRole("row").filter({ hasText: "Preset" })).toHaveCount(3);
});

test.describe("names of groups", () => {
  test.use({ expected: [/409/] });
  test("stand in a list with description, age and actions, and each is there once", {
    tag: ["@feature-273", "@local"],
  }, async ({ page, stack }) => {
    const person = await stack.newcomer();
    const name = unique("Vision");
    await makeGroup(page, name, /^User/);
    await page.goto(`/groups?words=${name}`);
    for (const [index, title] of ["Group name", "Description", "Created", "Actions"].entries()) {
      await expect(page.getByRole("columnheader").nth(index)).toHaveText(title);
    }
    const cells = row(page, name).getByRole("cell");
    await expect(cells.nth(1)).toHaveText(`What ${name} is for`);
    await expect(cells.nth(2).locator("time")).toBeVisible();

    await page.getByRole("button", { name: `Add users: ${name}` }).click();
    const dialog = page.getByRole("dialog");
    await find(page, dialog.getByLabel("Users"), person.user);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await expect(dialog).toBeHidden();
    await row(page, name).getByRole("link", { name }).click();
    await expect(page.getByRole("link", { name: person.user })).toBeVisible();

    // The same name, whatever its case, is told at its field.
    await page.goto("/groups/new");
    await page.getByLabel("Group name").fill(name.toUpperCase());
    await page.getByLabel("Description").fill("Again");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("checkbox", { name: /^User/ }).check();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "Submit" }).click();
    await expect(page.getByText("This name is taken.")).toBeVisible();
    await expect(page.getByLabel("Group name")).toBeFocused();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Leave" }).click();

    await page.goto(`/groups?words=${name}`);
    await page.getByRole("button", { name: `Delete: ${name}` }).click();
    await expect(dialog).toContainText("Its 1 user stays");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("Nothing fits these filters")).toBeVisible();
  });
});

test("the page of a group shows what it is, its roles and its users, and changes them", {
  tag: ["@feature-274", "@local"],
}, async ({ page, stack }) => {
  const person = await stack.newcomer();
  const name = unique("shown");
  await page.goto(await makeGroup(page, name, /^User/));
  const panel = (title: string) => page.locator(".panel").filter({ has: page.getByRole("heading", { name: title }) });
  await expect(panel("Group information")).toContainText(name);
  await expect(panel("Group information")).toContainText(`What ${name} is for`);
  await expect(panel("Roles").getByRole("link", { name: "User" })).toBeVisible();
  await expect(panel("Users")).toContainText("No users yet");

  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "Edit roles" }).click();
  await dialog.getByRole("checkbox", { name: /^User/ }).uncheck();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toContainText("Choose at least one role.");
  await dialog.getByRole("checkbox", { name: /^Annotation person/ }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(panel("Roles").getByRole("link", { name: "Annotation person" })).toBeVisible();

  await page.getByRole("button", { name: "Add users" }).click();
  await find(page, dialog.getByLabel("Users"), person.user);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(panel("Users").getByRole("link", { name: person.user })).toBeVisible();
  await page.getByRole("button", { name: `Take ${person.user} out` }).click();
  await dialog.getByRole("button", { name: "Take out" }).click();
  await expect(panel("Users")).toContainText("No users yet");

  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await dialog.getByLabel("Group name").fill(`${name}_2`);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: `${name}_2` })).toBeVisible();
});

test("a new group is information, roles and a last look, by keyboard alone", {
  tag: ["@feature-275", "@local"],
}, async ({ page }) => {
  const name = unique("keyed");
  await page.goto("/groups/new");
  await expect(page.getByLabel("Group name")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("This is needed.")).toHaveCount(2);
  await expect(page.getByLabel("Group name")).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(page.getByText("This is needed.")).toHaveCount(1);
  await expect(page.getByLabel("Description")).toBeFocused();
  await page.keyboard.type("By keys");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Next" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("Roles");
  await expect(page.getByRole("checkbox").first()).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Choose at least one role.")).toBeVisible();
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("Confirm");
  await expect(page.getByRole("button", { name: "Submit" })).toBeFocused();
  // Back, and forth again: nothing is lost.
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("checkbox").first()).toBeChecked();
  await page.keyboard.press("Enter");
  const confirm = page.getByRole("region", { name: /Confirm/ });
  await expect(confirm).toContainText(name);
  await expect(confirm).toContainText("By keys");
  await expect(page.getByRole("button", { name: "Submit" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
});

test.describe("names of roles", () => {
  test.use({ expected: [/409/] });
  test("stand in a list with description, type and actions, and each is there once", {
    tag: ["@feature-276", "@local"],
  }, async ({ page, stack }) => {
    const person = await stack.newcomer();
    const [name, group] = [unique("Trainer"), unique("linked")];
    await makeGroup(page, group, /^User/);
    await makeRole(page, name, /^AI platform/);
    await page.goto(`/roles?words=${name}`);
    for (const [index, title] of ["Role name", "Description", "Type", "Actions"].entries()) {
      await expect(page.getByRole("columnheader").nth(index)).toHaveText(title);
    }
    await expect(row(page, name)).toContainText(`What ${name} is for`);
    await expect(row(page, name)).toContainText("Custom");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: `Link users: ${name}` }).click();
    await find(page, dialog.getByLabel("Users"), person.user);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await expect(dialog).toBeHidden();
    await page.getByRole("button", { name: `Link groups: ${name}` }).click();
    await find(page, dialog.getByLabel("Groups"), group);
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await expect(dialog).toBeHidden();
    await row(page, name).getByRole("link", { name }).click();
    await expect(page.getByRole("link", { name: person.user })).toBeVisible();
    await expect(page.getByRole("link", { name: group })).toBeVisible();

    await page.goto("/roles/new");
    await page.getByLabel("Role name").fill(name.toLowerCase());
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Description" }).fill("Again");
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("checkbox", { name: /^AI platform/ }).check();
    await page.getByRole("button", { name: "Submit" }).click();
    await expect(page.getByText("This name is taken.")).toBeVisible();
    await expect(page.getByLabel("Role name")).toBeFocused();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Leave" }).click();

    await page.goto(`/roles?words=${name}`);
    await page.getByRole("button", { name: `Delete: ${name}` }).click();
    await expect(dialog).toContainText("1 user and 1 group lose what it gives at once.");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("Nothing fits these filters")).toBeVisible();
  });
});

test.describe("a preset role", () => {
  test.use({ expected: [/409/] });
  test("roles are preset or custom, and a preset one cannot be deleted", {
    tag: ["@feature-277", "@local"],
  }, async ({ page }) => {
    const name = unique("own");
    await makeRole(page, name, /^Annotation platform/);
    await expect(page.locator(".page-title")).toContainText("Custom");
    await page.goto("/roles");
    for (const preset of ["System Admin", "User", "Annotation person"]) {
      await expect(row(page, preset)).toContainText("Preset");
      await expect(page.getByRole("button", { name: `Link users: ${preset}` })).toBeVisible();
      await expect(page.getByRole("button", { name: `Delete: ${preset}` })).toHaveCount(0);
    }
    await expect(row(page, name)).toContainText("Custom");
    await expect(page.getByRole("button", { name: `Delete: ${name}` })).toBeVisible();
    for (const id of ["admin", "user", "annotator"]) {
      await page.goto(`/roles/${id}`);
      await expect(page.locator(".page-title")).toContainText("Preset");
      await expect(page.getByRole("button", { name: "Delete" })).toHaveCount(0);
      await expect(page.getByRole("button", { name: "Edit" })).toHaveCount(0);
      const status = await page.evaluate(async (role) => {
        const answer = await fetch(`/api/v1/roles/${role}`, { method: "DELETE", headers: { "X-Atoll-Request": "1" } });
        return answer.status;
      }, id);
      expect(status).toBe(409);
    }
  });
});

test("a new role is name, description and permissions, by keyboard alone", {
  tag: ["@feature-278", "@local"],
}, async ({ page }) => {
  const name = unique("typed");
  await page.goto("/roles/new");
  await expect(step(page)).toContainText("Name");
  await expect(page.getByLabel("Role name")).toBeFocused();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("Description");
  await expect(page.getByRole("textbox", { name: "Description" })).toBeFocused();
  await page.keyboard.type("By keys");
  // Back to the name, and forth again: nothing is lost.
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Back" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("Name");
  await expect(page.getByLabel("Role name")).toBeFocused();
  await expect(page.getByLabel("Role name")).toHaveValue(name);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Description" })).toBeFocused();
  await expect(page.getByRole("textbox", { name: "Description" })).toHaveValue("By keys");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Next" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("Permissions");
  await expect(page.getByRole("checkbox", { name: /^AI platform/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Choose at least one.")).toBeVisible();
  await page.keyboard.press("Space");
  await expect(page.getByRole("checkbox", { name: /^Annotation platform/ })).toBeChecked(); // a part of it
  await tabTo(page, "Back");
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("Description");
  await tabTo(page, "Next");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("checkbox", { name: /^AI platform/ })).toBeFocused();
  await expect(page.getByRole("checkbox", { name: /^AI platform/ })).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page.locator(".role-grants").first()).toHaveText("AI platform");
});

test("a role given to a user or to a group is what they may do, and no more when it is taken away", {
  tag: ["@feature-280", "@feature-304", "@local"],
}, async ({ page, browser, stack, expected }) => {
  expected.push(/status of 403/);
  test.setTimeout(300_000);
  const { page: theirs, person } = await registered(browser, stack);
  const [name, group] = [unique("operator"), unique("operators")];
  // A role of single permissions: to see nodes, and nothing else.
  await page.goto("/roles/new");
  await page.getByLabel("Role name").fill(name);
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Description" }).fill("Looks after machines");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Finer permissions").click();
  await page.getByRole("checkbox", { name: /^See nodes/ }).check();
  await page.getByRole("button", { name: "Submit" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  const role = new URL(page.url()).pathname;
  const dialog = page.getByRole("dialog");
  const seesNodesOnly = async () => {
    await lookAgain(theirs);
    await expect(theirs.getByRole("heading", { level: 1, name: "Nodes" })).toBeVisible();
    await expect(theirs.getByRole("row").filter({ hasText: "local-nvidia-gpu" })).toBeVisible();
    const menu = theirs.getByRole("navigation", { name: "Main menu" });
    await expect(menu.getByRole("link")).toHaveText(["Nodes", "Settings"]);
    await theirs.goto("/users");
    await expect(theirs.getByText("You may not see this")).toBeVisible();
  };
  const seesNothing = async () => {
    await theirs.goto("/nodes");
    await expect(theirs.getByRole("heading", { level: 1, name: SORRY })).toBeVisible();
  };

  await page.getByRole("button", { name: "Add users" }).click();
  await find(page, dialog.getByLabel("Users"), person.user);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("link", { name: person.user })).toBeVisible();
  await seesNodesOnly();
  await page.getByRole("button", { name: `Take ${person.user} out` }).click();
  await dialog.getByRole("button", { name: "Take out" }).click();
  await expect(page.getByRole("link", { name: person.user })).toHaveCount(0);
  await seesNothing();

  // The same by a group.
  const place = await makeGroup(page, group, new RegExp(`^${name}`));
  await page.getByRole("button", { name: "Add users" }).click();
  await find(page, dialog.getByLabel("Users"), person.user);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByRole("link", { name: person.user })).toBeVisible();
  await seesNodesOnly();
  await page.goto(role);
  await expect(page.getByRole("link", { name: group })).toBeVisible();
  await page.goto(place);
  await page.getByRole("button", { name: `Take ${person.user} out` }).click();
  await dialog.getByRole("button", { name: "Take out" }).click();
  await expect(page.getByRole("link", { name: person.user })).toHaveCount(0);
  await seesNothing();
  await theirs.context().close();
});

test.describe("two administrators at one group", () => {
  test.use({ expected: [/412/] });
  test("the slower one is told who was quicker, and loses nothing typed", async ({ page, browser, stack }) => {
    const name = unique("shared");
    const place = await makeGroup(page, name, /^User/);
    const { page: theirs, person } = await atWork(browser, stack, { roles: ["admin"] });
    for (const each of [page, theirs]) {
      await each.goto(place);
      await each.getByRole("button", { name: "Edit", exact: true }).click();
    }
    await theirs.getByRole("dialog").getByLabel("Group name").fill(`${name}_theirs`);
    await theirs.keyboard.press("Enter");
    await expect(theirs.getByRole("heading", { level: 1, name: `${name}_theirs` })).toBeVisible();

    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Description").fill("Mine");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByRole("alert")).toContainText("was changed since you opened this");
    await expect(dialog.getByRole("alert")).toContainText(`The last change is by ${person.user}.`);
    await expect(dialog.getByLabel("Description")).toHaveValue("Mine");
    await dialog.getByRole("button", { name: "Load anew" }).click();
    await expect(dialog.getByLabel("Group name")).toHaveValue(`${name}_theirs`);
    await expect(dialog.getByLabel("Description")).toHaveValue("Mine");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("heading", { level: 1, name: `${name}_theirs` })).toBeVisible();
    await expect(page.locator(".facts").first()).toContainText("Mine");
    await theirs.context().close();
  });
});

test("Escape closes a dialog and gives the focus back", async ({ page, stack }) => {
  const person = await stack.newcomer();
  await page.goto(`/users?words=${person.user}`);
  const opener = page.getByRole("button", { name: `Edit roles: ${person.user}` });
  await opener.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("checkbox").first()).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(opener).toBeFocused();
  await choose(page, `Actions for ${person.user}`, "Edit details");
  await expect(page.getByRole("dialog").getByLabel("Nickname")).toBeFocused();
});
