/** Pages and forms, on `./atoll dev`. Each worker starts one of its own (stack.ts); needs Debian's chromium only. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { common } from "../browser.ts";

export default defineConfig(common(), {
  testDir: ".",
  outputDir: join(tmpdir(), `atoll-e2e-dev-${process.getuid?.() ?? 0}`),
  fullyParallel: true,
  workers: 2,
});
