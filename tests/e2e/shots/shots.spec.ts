/** A picture of each address that specs of `dev/` look at, in two looks; it judges nothing. */
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { addressesOf, FAMILIES } from "../addresses.ts";
import { elsewhere, registered } from "../dev/people.ts";
import { PLACES } from "../dev/places.ts";
import { test } from "../dev/stack.ts";
import { LOOKS, settled, wear } from "../pages.ts";

const FOLDER = process.env.ATOLL_SHOTS ?? join(import.meta.dirname, "pictures");
const FRONT = "dev/entrances";
/** Those who are signed in see these; ways in by others need servers of ours, which this stack has not. */
const INSIDE = FAMILIES.filter((each) => each.startsWith("dev/") && ![FRONT, "dev/ways-in"].includes(each));

test.use({ expected: [/status of (401|404)/] });

/** `/users?words=ada` → `users-words-ada.png`, in a folder of its look. */
async function take(page: Page, path: string, look: string): Promise<void> {
  await page.goto(path);
  await settled(page);
  const name = path.replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "") || "root";
  await page.screenshot({ path: join(FOLDER, look, `${name}.png`), fullPage: true, animations: "disabled" });
}

for (const { language, appearance } of LOOKS.filter(({ tag }) => tag.length === 0)) {
  const look = `${language}-${appearance}`;

  for (const family of INSIDE) {
    test(`${family}, ${look}`, async ({ page }) => {
      test.setTimeout(300_000);
      const paths = await addressesOf(page, family, PLACES);
      await wear(page, { language, appearance });
      for (const path of paths) await take(page, path, look);
    });
  }

  test(`entrances, ${look}`, async ({ page, browser, stack }) => {
    test.setTimeout(300_000);
    const nobody = await elsewhere(browser, stack);
    const { page: waiting } = await registered(browser, stack);
    for (const each of [page, nobody, waiting]) await wear(each, { language, appearance });
    for (const path of await addressesOf(nobody, FRONT, PLACES)) {
      const theirs = { "/no-access": waiting, "/password": page }[path] ?? nobody;
      await take(theirs, path, look);
    }
    await nobody.context().close();
    await waiting.context().close();
  });
}
