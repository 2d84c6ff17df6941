import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { ShieldCheck } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { searchOf } from "./search";

declare module "i18next" {
  interface ResourceNamespaceMap {
    roles: typeof words;
  }
}

const list = createRoute({
  getParentRoute: () => shell,
  path: "/roles",
  validateSearch: searchOf,
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./roles-page"), "RolesPage"),
});

const form = createRoute({
  getParentRoute: () => shell,
  path: "/roles/new",
  component: lazyRouteComponent(() => import("./new-page"), "NewRolePage"),
});

const detail = createRoute({
  getParentRoute: () => shell,
  path: "/roles/$id",
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./role-page"), "RolePage"),
});

/** What their holders may do. */
export const roles = {
  name: "roles",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [list, form, detail],
  menu: [
    {
      name: "menu",
      to: "/roles",
      icon: ShieldCheck,
      needs: "roles:read",
      place: "user_management/roles",
      form: { name: "new", to: "/roles/new", needs: "roles:manage" },
    },
  ],
  search: { needs: "roles:read", find: async (words, context) => (await import("./find")).findRoles(words, context) },
} as const satisfies Feature;
