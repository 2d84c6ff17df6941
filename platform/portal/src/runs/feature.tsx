import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { History } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";

declare module "i18next" {
  interface ResourceNamespaceMap {
    runs: typeof words;
  }
}

const list = createRoute({
  getParentRoute: () => shell,
  path: "/runs",
  component: lazyRouteComponent(() => import("./runs-page"), "RunsPage"),
});
const detail = createRoute({
  getParentRoute: () => shell,
  path: "/runs/$id",
  component: lazyRouteComponent(() => import("./run-page"), "RunPage"),
});

/** What the installer did to the cluster, phase by phase. */
export const runs = {
  name: "runs",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [list, detail],
  menu: [
    { name: "menu", to: "/runs", icon: History, needs: "runs:read", installed: true, place: "visual_operations/runs" },
  ],
} as const satisfies Feature;
