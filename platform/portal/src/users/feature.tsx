import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { User } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { filtersOf } from "./search";

declare module "i18next" {
  interface ResourceNamespaceMap {
    users: typeof words;
  }
}

const list = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  validateSearch: filtersOf,
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./users-page"), "UsersPage"),
});

const form = createRoute({
  getParentRoute: () => shell,
  path: "/users/new",
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./new-page"), "NewUsersPage"),
});

const fromFile = createRoute({
  getParentRoute: () => shell,
  path: "/users/import",
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./import-page"), "ImportUsersPage"),
});

const detail = createRoute({
  getParentRoute: () => shell,
  path: "/users/$id",
  staticData: { shows: ["people", "roles"] },
  component: lazyRouteComponent(() => import("./user-page"), "UserPage"),
});

/** Accounts: who may sign in, and with which roles. */
export const users = {
  name: "users",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [list, form, fromFile, detail],
  menu: [
    {
      name: "menu",
      to: "/users",
      icon: User,
      needs: "users:read",
      place: "user_management/users",
      form: { name: "new", to: "/users/new", needs: "users:manage" },
    },
  ],
  search: { needs: "users:read", find: async (words) => (await import("./find")).findUsers(words) },
} as const satisfies Feature;
