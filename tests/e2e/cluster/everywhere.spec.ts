import type { Page } from "@playwright/test";
import { expectFitsPhone, expectNoMistakes, expectOwnContentOnly, look, viewsOf } from "../pages.ts";
import { api, test } from "../portal.ts";

/** Pages that have no content under `./atoll dev`; the others are looked at there. */
const OF_A_CLUSTER = ["/nodes", "/services", "/ports", "/runs"];

async function pages(page: Page): Promise<string[]> {
  await page.goto("/overview");
  const { items } = await api<{ items: { id: string }[] }>(page, "/tasks?limit=1");
  const views = items[0] ? viewsOf(items[0].id) : [];
  return ["/overview", "/training", "/training/new", ...views, ...OF_A_CLUSTER, "/no-such-page"];
}

for (const appearance of ["light", "dark"] as const) {
  test(`axe finds nothing on the pages of a cluster, ${appearance}`, async ({ page }) => {
    await look(page, appearance);
    await expectNoMistakes(page, OF_A_CLUSTER);
  });
}

test("no page of a cluster is wider than a phone", async ({ page }) => {
  await expectFitsPhone(page, OF_A_CLUSTER);
});

test("nothing is loaded from elsewhere, and the content security policy is never broken", async ({ page, baseURL }) => {
  await expectOwnContentOnly(page, baseURL ?? "", await pages(page));
});
