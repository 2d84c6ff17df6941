import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { UsersRound } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { searchOf } from "./search";

declare module "i18next" {
  interface ResourceNamespaceMap {
    groups: typeof words;
  }
}

const list = createRoute({
  getParentRoute: () => shell,
  path: "/groups",
  validateSearch: searchOf,
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./groups-page"), "GroupsPage"),
});

const form = createRoute({
  getParentRoute: () => shell,
  path: "/groups/new",
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./new-page"), "NewGroupPage"),
});

const detail = createRoute({
  getParentRoute: () => shell,
  path: "/groups/$id",
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./group-page"), "GroupPage"),
});

/** Users who get the same roles together. */
export const groups = {
  name: "groups",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [list, form, detail],
  menu: [
    {
      name: "menu",
      to: "/groups",
      icon: UsersRound,
      needs: "groups:read",
      place: "user_management/groups",
      form: { name: "new", to: "/groups/new", needs: "groups:manage" },
    },
  ],
  search: { needs: "groups:read", find: async (words) => (await import("./find")).findGroups(words) },
} as const satisfies Feature;
