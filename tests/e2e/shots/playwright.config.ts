/** Pictures of every page, for people to look at: `npm run shots`. They lie in $ATOLL_SHOTS, or else in pictures beside this. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { common } from "../browser.ts";

export default defineConfig(common(), {
  testDir: ".",
  outputDir: join(tmpdir(), `atoll-e2e-shots-${process.getuid?.() ?? 0}`),
  workers: 1,
});
