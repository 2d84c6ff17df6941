/**
 * What needs Kubernetes, cards or several nodes, and one path per domain. Needs an installed cluster, Debian's chromium,
 * and in the environment: ATOLL_URL, ATOLL_CREDENTIALS (YAML: user, password), ATOLL_CA (the cluster's root, when its own).
 * The password is changed in that file, because the first sign-in demands it.
 */
import { defineConfig } from "@playwright/test";
import { common } from "../browser.ts";
import { output, session, trust, url } from "./installation.ts";

const shared = common(await trust());

export default defineConfig(shared, {
  testDir: ".",
  outputDir: output,
  workers: 1, // one cluster with a known number of devices
  use: { ...shared.use, baseURL: url },
  projects: [
    { name: "entrance", testMatch: "sign-in.spec.ts" },
    { name: "portal", testIgnore: "sign-in.spec.ts", dependencies: ["entrance"], use: { storageState: session } },
  ],
});
