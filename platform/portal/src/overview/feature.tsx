import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { LayoutDashboard } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { Running } from "./running";
import { scopeOf } from "./search";

declare module "i18next" {
  interface ResourceNamespaceMap {
    overview: typeof words;
  }
}

const page = createRoute({
  getParentRoute: () => shell,
  path: "/overview",
  validateSearch: scopeOf,
  staticData: { shows: ["tasks", "virtual_clusters"] },
  component: lazyRouteComponent(() => import("./overview-page"), "OverviewPage"),
});

/** What runs, what is free, what needs the person. */
export const overview = {
  name: "overview",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [page],
  menu: [{ name: "menu", to: "/overview", icon: LayoutDashboard, needs: "overview:read", place: "overview" }],
  glance: { needs: "overview:read", View: Running },
} as const satisfies Feature;
