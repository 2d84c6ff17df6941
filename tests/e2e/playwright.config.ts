/**
 * Needs an installed cluster or `./atoll dev`, Debian's chromium, and in the environment:
 * ATOLL_URL, ATOLL_CREDENTIALS (YAML: user, password), ATOLL_CA (the cluster's root, when its own).
 * The password is changed in that file, because the first sign-in demands it.
 */
import { defineConfig } from "@playwright/test";
import { output, session, trust, url } from "./installation.ts";

export default defineConfig({
  testDir: ".",
  outputDir: output,
  workers: 1, // one cluster with a known number of devices
  timeout: 120_000,
  expect: { timeout: 15_000 },
  retries: 0,
  forbidOnly: true,
  use: {
    baseURL: url,
    locale: "en-US",
    viewport: { width: 1440, height: 900 },
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.ATOLL_CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        ...(await trust()),
      ],
    },
  },
  projects: [
    { name: "entrance", testMatch: "sign-in.spec.ts" },
    { name: "portal", testIgnore: "sign-in.spec.ts", dependencies: ["entrance"], use: { storageState: session } },
  ],
});
