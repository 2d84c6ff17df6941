import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { searchOf } from "./search";

declare module "i18next" {
  interface ResourceNamespaceMap {
    audit: typeof words;
  }
}

const page = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: searchOf,
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./audit-page"), "AuditPage"),
});

/** Who did what, when and from where. */
export const audit = {
  name: "audit",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [page],
  menu: [{ name: "menu", to: "/audit", icon: ScrollText, needs: "audit:read", place: "visual_operations/audit" }],
} as const satisfies Feature;
