/** Several people's `./atoll dev` on one machine, which run already: ATOLL_USERS says where (tests/dev). */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { common } from "../browser.ts";

export default defineConfig(common(), {
  testDir: ".",
  outputDir: join(tmpdir(), `atoll-e2e-users-${process.getuid?.() ?? 0}`),
  fullyParallel: true,
  workers: 2,
});
