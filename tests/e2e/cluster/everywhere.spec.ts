import type { Page } from "@playwright/test";
import { addressesOf, type Places, plainOf } from "../addresses.ts";
import { expectFitsPhone, expectNoMistakes, expectOwnContentOnly, LOOKS, viewsOf, wear } from "../pages.ts";
import { api, expect, test } from "../portal.ts";

/** Pages that have no content under `./atoll dev`; the others are looked at there. */
const FAMILY = "cluster/everywhere";
const PLACES: Places = { "/runs/$id": run };

/** A run of the installer: there is one, for it made this cluster. */
async function run(page: Page): Promise<string[]> {
  await page.goto("/runs");
  const { items } = await api<{ items: { id: string }[] }>(page, "/runs?limit=1");
  return items.map(({ id }) => `/runs/${encodeURIComponent(id)}`);
}

/** Those and the pages of work, with the views of a task where there is one by now. */
async function pages(page: Page): Promise<string[]> {
  await page.goto("/overview");
  const { items } = await api<{ items: { id: string }[] }>(page, "/tasks?limit=1");
  const views = items[0] ? viewsOf(items[0].id) : [];
  return [...plainOf("dev/everywhere"), ...views, ...(await addressesOf(page, FAMILY, PLACES)), "/no-such-page"];
}

for (const { language, appearance } of LOOKS.filter(({ tag }) => tag.length === 0)) {
  test(`axe finds nothing on the pages of a cluster, ${language}, ${appearance}`, async ({ page }) => {
    const all = await addressesOf(page, FAMILY, PLACES);
    await wear(page, { language, appearance });
    await expectNoMistakes(page, all);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
  });
}

test("no page of a cluster is wider than a phone", async ({ page }) => {
  await expectFitsPhone(page, await addressesOf(page, FAMILY, PLACES));
});

test("nothing is loaded from elsewhere, and the content security policy is never broken", async ({ page, baseURL }) => {
  await expectOwnContentOnly(page, baseURL ?? "", await pages(page));
});
