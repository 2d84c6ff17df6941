/** Debian's chromium as all tests use it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PlaywrightTestConfig } from "@playwright/test";

/**
 * The programs that will do, the best first (installer/testing/playwright.py reads them too): the shell is the same
 * engine without the windows around a page, which take two fifths of a browser's work that nobody sees.
 */
const programs = JSON.parse(readFileSync(join(import.meta.dirname, "browsers.json"), "utf8")) as string[];

export const executablePath =
  process.env.ATOLL_CHROMIUM ?? programs.find((path) => existsSync(path)) ?? programs.at(-1);

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** What the configurations have in common; `more` are further arguments of the browser. */
export function common(more: string[] = []): PlaywrightTestConfig {
  return {
    // A busy machine is slow, not wrong: a password alone may take 15 s where three suites have two cores.
    timeout: 240_000,
    expect: { timeout: 30_000 },
    retries: 0,
    forbidOnly: true,
    use: {
      locale: "en-US",
      viewport: { width: 1440, height: 900 },
      trace: { mode: "retain-on-failure", screenshots: false, sources: false },
      screenshot: "only-on-failure",
      launchOptions: { executablePath, args: [...args, ...more] },
    },
  };
}
