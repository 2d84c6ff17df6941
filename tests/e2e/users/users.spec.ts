import { randomBytes } from "node:crypto";
import { toTheModelFile } from "../journeys.ts";
import { enter, expect, test } from "../portal.ts";

interface Running {
  owner: string;
  url: string;
  password: string;
}

const running = JSON.parse(process.env.ATOLL_USERS ?? "[]") as Running[];

for (const { owner, url, password } of running) {
  test.describe(owner, () => {
    test.use({ baseURL: url, expected: [/401/] });
    test("signs in for the first time and trains the example", async ({ page }) => {
      await enter(page, { user: "admin", password }, randomBytes(18).toString("base64url"));
      await expect(page.getByRole("navigation", { name: "Main menu" })).toBeVisible();
      await toTheModelFile(page);
    });
  });
}
