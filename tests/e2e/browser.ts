/** Debian's chromium as all tests use it. */
import type { PlaywrightTestConfig } from "@playwright/test";

export const executablePath = process.env.ATOLL_CHROMIUM ?? "/usr/bin/chromium";

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
    timeout: 120_000,
    expect: { timeout: 15_000 },
    retries: 0,
    forbidOnly: true,
    use: {
      locale: "en-US",
      viewport: { width: 1440, height: 900 },
      trace: "retain-on-failure",
      screenshot: "only-on-failure",
      launchOptions: { executablePath, args: [...args, ...more] },
    },
  };
}
