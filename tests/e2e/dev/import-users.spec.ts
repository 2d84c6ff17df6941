/** An administrator makes many users from a file, by the keyboard alone; each signs in with a password of their own. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { addressesOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, expectNoMistakesHere, LOOKS, wear } from "../pages.ts";
import { unique } from "../portal.ts";
import { elsewhere, step, tabTo } from "./people.ts";
import { expect, test } from "./stack.ts";

const FAMILY = "dev/import-users";

/** Choose a file with the field that has the focus. */
async function chooseFile(page: Page, path: string): Promise<void> {
  await expect(page.getByLabel("File with users")).toBeFocused();
  const chooser = page.waitForEvent("filechooser");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(path);
}

test("many users are made from a file, by the keyboard alone", async ({ page, browser, stack }, info) => {
  test.setTimeout(240_000);
  const names = [1, 2, 3].map((number) => unique(`import${number}`).replaceAll("_", "-"));
  const head = "User name,Nickname,Phone,E-mail,Roles,Groups,Virtual clusters";
  const lines = names.map((name) => `${name},Nick of ${name},+49 30 1,${name}@example.org,User,,default`);
  const [broken, mended] = [info.outputPath("broken.csv"), info.outputPath("mended.csv")];
  writeFileSync(broken, [head, ...lines, "Ada,,,,Nobody,,"].join("\r\n"));
  writeFileSync(mended, [head, ...lines].join("\r\n"));

  await page.goto("/users");
  const way = page.getByRole("link", { name: "Import users" });
  await way.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/users\/import/);
  await chooseFile(page, broken);
  await tabTo(page, "Next");
  await page.keyboard.press("Enter");
  await expect(step(page)).toContainText("What it says");
  const wrong = page.getByRole("row").filter({ hasText: "Ada" });
  await expect(wrong.getByRole("cell").nth(1)).toContainText("This has characters that are not allowed.");
  await expect(wrong.getByRole("cell").nth(2)).toContainText("This is needed.");
  await expect(wrong.getByRole("cell").nth(5)).toContainText("There is no role `Nobody`.");
  await expectNoMistakesHere(page);
  await tabTo(page, "Next");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Mend 3 mistakes in the file, then go back and choose it again.")).toBeVisible();

  await tabTo(page, "Back");
  await page.keyboard.press("Enter");
  await chooseFile(page, mended);
  await tabTo(page, "Next");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("row").filter({ hasText: names[2] })).toContainText("New");
  await expect(page.getByText("New: 3. There already: 0. Mistakes: 0.")).toBeVisible();
  await tabTo(page, "Next");
  await page.keyboard.press("Enter");
  await expect(page.getByText("3 accounts will be made.")).toBeVisible();
  await tabTo(page, "Make 3 users");
  await page.keyboard.press("Enter");

  const button = page.getByRole("button", { name: "Download the passwords" });
  await expect(button).toBeFocused();
  await expectNoMistakesHere(page);
  const download = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^passwords-\d{4}-\d\d-\d\d\.csv$/);
  const told = readFileSync(await file.path(), "utf8")
    .replace("\ufeff", "")
    .trimEnd()
    .split("\r\n");
  expect(told[0]).toBe("User name,Initial password");
  const passwords = new Map(told.slice(1).map((each) => each.split(",") as [string, string]));
  expect([...passwords.keys()]).toEqual(names);
  await tabTo(page, "To the users");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/users$/);

  const [name = ""] = names;
  const theirs = await elsewhere(browser, stack);
  await theirs.goto("/");
  await theirs.getByLabel("User name").fill(name);
  await theirs.getByLabel("Password", { exact: true }).fill(passwords.get(name) ?? "");
  await theirs.keyboard.press("Enter");
  await theirs.waitForURL(/\/password/);
  await theirs.context().close();

  await page.goto(`/users?words=${name}`);
  await page.getByRole("link", { name, exact: true }).click();
  await expect(page.getByText(`${name}@example.org`)).toBeVisible();
  await expect(page.getByRole("main").getByText("default", { exact: true })).toBeVisible();
});

test("a file in GBK with semicolons is understood, and who is there already is left out when that is wanted", async ({
  page,
  stack,
}, info) => {
  const path = info.outputPath("gbk.csv");
  // 用户名;昵称;角色 / <administrator>;李雷;普通用户
  const gbk = (hex: string) => Buffer.from(hex.replaceAll(" ", ""), "hex");
  writeFileSync(
    path,
    Buffer.concat([
      gbk("d3c3 bba7 c3fb 3bea c7b3 c63b bdc7 c9ab 0d0a"),
      Buffer.from(`${stack.admin.user};`),
      gbk("c0 eec0 d73b c6d5 cda8 d3c3 bba7 0d0a"),
    ]),
  );
  await page.goto("/users/import");
  await page.getByLabel("File with users").setInputFiles(path);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("Read as GB18030.")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "李雷" })).toContainText("This name is taken.");
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByLabel(/^Leave out users/).check();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByRole("row").filter({ hasText: "李雷" })).toContainText("There already");
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.getByText("There is nobody new in this file.")).toBeVisible();
});

for (const { tag, ...seen } of LOOKS) {
  test(`axe finds nothing in the import of users, ${seen.language}, ${seen.appearance}`, { tag }, async ({ page }) => {
    await wear(page, seen);
    await expectNoMistakes(page, await addressesOf(page, FAMILY));
  });
}

test("the import of users is no wider than a phone", { tag: "@long" }, async ({ page }) => {
  await expectFitsPhone(page, await addressesOf(page, FAMILY));
});
