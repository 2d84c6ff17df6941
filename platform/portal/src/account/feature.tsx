import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";

declare module "i18next" {
  interface ResourceNamespaceMap {
    account: typeof words;
  }
}

const page = createRoute({
  getParentRoute: () => shell,
  path: "/account",
  staticData: { shows: ["people", "roles"] },
  component: lazyRouteComponent(() => import("./account-page"), "AccountPage"),
});

/** From where somebody is signed in, and what they gave to programs. The menu of the user leads here. */
export const account = {
  name: "account",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [page],
} as const satisfies Feature;
