import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Settings } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";

declare module "i18next" {
  interface ResourceNamespaceMap {
    settings: typeof words;
  }
}

const page = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings-page"), "SettingsPage"),
});

/** What people set for themselves. */
export const settings = {
  name: "settings",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [page],
  menu: [{ name: "menu", to: "/settings", icon: Settings, needs: "settings:read", place: "settings" }],
} as const satisfies Feature;
