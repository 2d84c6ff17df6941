/** The frame of every page: the side menu, which each person has their own of, and the bar at the top. */
import type { Page } from "@playwright/test";
import { expectNoMistakes } from "../pages.ts";
import { atWork } from "./people.ts";
import { expect, test } from "./stack.ts";

const menu = (page: Page) => page.getByRole("navigation", { name: "Main menu" });

test("the bar at the top has the icon of the menu, the platform, user management and who is signed in", {
  tag: ["@feature-46a", "@feature-47", "@local"],
}, async ({ page, browser, stack }) => {
  await page.goto("/nodes");
  const bar = page.getByRole("banner");
  const training = menu(page).getByRole("link", { name: "Training", exact: true });
  await expect(training).toBeVisible();
  const wide = (await menu(page).boundingBox())?.width ?? 0;
  expect(wide).toBe(248); // room for the longest names that the manual has
  const labels = await menu(page).locator(".side-link span").all();
  expect(labels.length).toBeGreaterThan(10);
  for (const label of labels) {
    const cut = await label.evaluate((span) => span.scrollWidth - span.clientWidth);
    expect(cut, `${await label.textContent()} is cut off`).toBeLessThanOrEqual(0);
  }
  await bar.getByRole("button", { name: "Show or hide the menu" }).click();
  await expect.poll(async () => (await menu(page).boundingBox())?.width ?? wide).toBeLessThan(wide / 2);
  await expect(training).toHaveAttribute("title", "Training"); // an icon, still a way
  await page.reload();
  expect((await menu(page).boundingBox())?.width).toBeLessThan(wide / 2);
  await bar.getByRole("button", { name: "Show or hide the menu" }).click();
  await expect.poll(async () => (await menu(page).boundingBox())?.width).toBe(wide);

  await bar.getByRole("link", { name: "Atoll" }).click();
  await expect(page).toHaveURL(/\/overview/);
  await bar.getByRole("link", { name: "User management" }).click();
  await expect(page).toHaveURL(/\/user-management/);
  await expect(bar.getByRole("button", { name: `Account of ${stack.admin.user}` })).toContainText(stack.admin.user);

  const { page: theirs, person } = await atWork(browser, stack);
  await theirs.goto("/overview");
  const nickname = person.user.replace("person", "Person ");
  await expect(theirs.getByRole("button", { name: `Account of ${person.user}, ${nickname}` })).toHaveText(nickname);
  await expect(theirs.getByRole("link", { name: "User management" })).toHaveCount(0);
  await theirs.context().close();
});

test("menus stand in the manual's order, those of administration for administrators alone", async ({
  page,
  browser,
  stack,
}) => {
  await page.goto("/overview");
  const seen = async (of: Page) => (await menu(of).getByRole("link").allTextContents()).map((text) => text.trim());
  await expect(menu(page).getByRole("link", { name: "Nodes" })).toBeVisible();
  const admins = await seen(page);
  const order = [
    "Overview",
    "Training",
    "Nodes",
    "Virtual clusters",
    "Settings",
    "Console",
    "Users",
    "Groups",
    "Roles",
  ];
  expect(admins.filter((name) => order.includes(name))).toEqual(order);
  const { page: theirs } = await atWork(browser, stack);
  await theirs.goto("/overview");
  await expect(menu(theirs).getByRole("link", { name: "Settings" })).toBeVisible();
  const users = await seen(theirs);
  for (const name of ["Nodes", "Virtual clusters", "Console", "Users", "Groups", "Roles"]) {
    expect(users).not.toContain(name);
  }
  await theirs.context().close();
});

test("a menu is closed and opened by keyboard and stays so; coming to one of its pages opens it", async ({ page }) => {
  await page.goto("/overview");
  const folder = menu(page).getByRole("button", { name: "User management" });
  const roles = menu(page).getByRole("link", { name: "Roles" });
  await folder.focus();
  await page.keyboard.press("Enter");
  await expect(roles).toBeHidden();
  await page.reload();
  await expect(folder).toHaveAttribute("aria-expanded", "false");
  await expectNoMistakes(page, ["/overview"]);
  await page.goto("/roles");
  await expect(roles).toBeVisible();
  await expect(roles).toHaveAttribute("aria-current", "page");
});
