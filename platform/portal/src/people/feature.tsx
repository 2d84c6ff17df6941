import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { UsersRound } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { READS } from "./reads";
import { Way } from "./way";

declare module "i18next" {
  interface ResourceNamespaceMap {
    people: typeof words;
  }
}

const page = createRoute({
  getParentRoute: () => shell,
  path: "/user-management",
  component: lazyRouteComponent(() => import("./console-page"), "ConsolePage"),
});

/** User management: its console, and what users, groups and roles have in common. */
export const people = {
  name: "people",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [page],
  menu: [{ name: "menu", to: "/user-management", icon: UsersRound, needs: READS, place: "user_management/console" }],
  glance: { needs: READS, View: Way },
} as const satisfies Feature;
