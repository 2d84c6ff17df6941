/** Who may read the audit finds what was done, by whom and from where, and takes it along. */
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { addressesOf, plainOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, LOOKS, wear } from "../pages.ts";
import { choose } from "../portal.ts";
import { atWork, find } from "./people.ts";
import { PLACES } from "./places.ts";
import { expect, test } from "./stack.ts";

const FAMILY = "dev/audit";

const rows = (page: Page) => page.locator("tbody tr");

/** Somebody whose account is disabled, and enabled again. */
async function changed(page: Page, user: string): Promise<void> {
  await page.goto(`/users?words=${user}`);
  for (const [entry, done] of [
    ["Disable", "Disabled"],
    ["Enable", "Active"],
  ] as const) {
    await choose(page, `Actions for ${user}`, entry);
    if (entry === "Disable") await page.getByRole("dialog").getByRole("button", { name: entry }).click();
    await expect(page.getByRole("row").filter({ hasText: user })).toContainText(done);
  }
}

test("what was done to an account is found, opened, followed and exported", async ({
  page,
  browser,
  stack,
  expected,
}) => {
  test.setTimeout(240_000);
  expected.push(/status of 401/); // who is disabled is out
  const { page: theirs, person } = await atWork(browser, stack);
  await changed(page, person.user);

  await page.getByRole("navigation", { name: "Main menu" }).getByRole("link", { name: "Audit", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Audit" })).toBeVisible();
  await page.getByLabel("Object: its name or id").fill(person.user);
  await expect(page).toHaveURL(new RegExp(`object=${person.user}`));
  await expect(rows(page).first()).toContainText("Enable an account");
  await expect(rows(page).nth(1)).toContainText("Disable an account");
  await find(page, page.getByRole("combobox", { name: "All actions" }), "Disable an account");
  await expect(rows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/action=user.disable/);

  // The view is handed on by its address, with the record that is open.
  await page.getByRole("button", { name: `Details: Disable an account ${person.user}` }).press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Sessions ended");
  await page.reload();
  await expect(dialog.getByText("127.0.0.1")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(rows(page)).toHaveCount(1);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/);
  const text = readFileSync(await file.path(), "utf8");
  expect(text.startsWith('\ufeff"at","actor_name","action"')).toBe(true);
  const lines = text.trimEnd().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`"user.disable","done","user","${person.user}"`);

  await page.goto("/audit?action=audit.export");
  await expect(rows(page).first()).toContainText("Export the audit");

  await page.goto(`/audit?object=${person.user}&action=user.disable`);
  await page.getByRole("link", { name: person.user, exact: true }).click();
  await expect(page).toHaveURL(/\/users\/\w+/);
  await expect(page.getByRole("heading", { level: 1, name: person.user })).toBeVisible();
  await theirs.context().close();
});

test("who did something is found by a few letters, and since when is said", async ({ page, stack }) => {
  await page.goto("/audit");
  await find(page, page.getByRole("combobox", { name: "Everybody" }), stack.admin.user);
  await expect(page).toHaveURL(new RegExp(`actor=${stack.admin.user}`));
  await expect(rows(page).first()).toBeVisible();
  await page.getByRole("combobox", { name: "Time range" }).click();
  await page.locator(".ant-select-item-option").filter({ hasText: "Between" }).click();
  await page.getByLabel("Until").fill("2001-01-01T00:00");
  await expect(page.getByText("Nothing fits these filters")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rows(page).first()).toBeVisible();
  await expect(page).toHaveURL(/\/audit$/);
});

test("who may not read the audit sees no way to it, and what they tried is in it", async ({
  page,
  browser,
  stack,
  expected,
}) => {
  expected.push(/403/);
  const { page: theirs, person } = await atWork(browser, stack);
  await expect(theirs.getByRole("navigation", { name: "Main menu" })).toBeVisible();
  await expect(theirs.getByRole("link", { name: "Audit", exact: true })).toHaveCount(0);
  await theirs.goto("/audit");
  await expect(theirs.getByText("You may not see this")).toBeVisible();
  await theirs.evaluate(() => fetch("/api/v1/audit/export", { method: "POST", headers: { "X-Atoll-Request": "1" } }));
  await page.goto(`/audit?outcome=denied&actor=${person.user}`);
  await expect(rows(page).first()).toContainText("Request refused");
  await expect(rows(page).first()).toContainText("POST /api/v1/audit/export");
  await theirs.context().close();
});

for (const { tag, ...seen } of LOOKS) {
  test(`axe finds nothing in the audit, ${seen.language}, ${seen.appearance}`, { tag }, async ({ page }) => {
    await wear(page, seen);
    await expectNoMistakes(page, await addressesOf(page, FAMILY, PLACES));
  });
}

test("the audit is no wider than a phone", { tag: "@long" }, async ({ page }) => {
  await expectFitsPhone(page, [...plainOf(FAMILY), "/audit?since=2026-01-01T00:00:00.000Z"]);
});
