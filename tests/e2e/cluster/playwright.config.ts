/**
 * What needs Kubernetes, cards or several nodes, and one path per domain. Needs an installed cluster, Debian's chromium,
 * and in the environment: ATOLL_URL, ATOLL_CREDENTIALS (YAML: user, password, administrator: {user, password}), ATOLL_CA (the
 * cluster's root, when its own). Both passwords are changed in that file, because the first sign-in demands it.
 */
import { defineConfig } from "@playwright/test";
import { common } from "../browser.ts";
import { output, sessions, trust, url } from "./installation.ts";

const shared = common(await trust());
const inside = { dependencies: ["entrance"], use: { storageState: sessions.user } };
const FOR_ADMINISTRATORS = ["cluster.spec.ts", "everywhere.spec.ts", "users.spec.ts"];

export default defineConfig(shared, {
  testDir: ".",
  outputDir: output,
  workers: 2,
  use: { ...shared.use, baseURL: url },
  projects: [
    { name: "entrance", testMatch: "sign-in.spec.ts" },
    // One cluster with a known number of devices: one after the other, but for what asks for none and waits for charts.
    { ...inside, name: "portal", testIgnore: ["sign-in.spec.ts", "limits.spec.ts", ...FOR_ADMINISTRATORS], workers: 1 },
    {
      name: "administration",
      dependencies: ["portal"],
      testMatch: FOR_ADMINISTRATORS,
      use: { storageState: sessions.administrator },
      workers: 1,
    },
    { ...inside, name: "limits", testMatch: "limits.spec.ts" },
  ],
});
