import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Users } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { findUsers } from "./query";

declare module "i18next" {
  interface ResourceNamespaceMap {
    users: typeof words;
  }
}

const page = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  component: lazyRouteComponent(() => import("./users-page"), "UsersPage"),
});

/** Accounts: who may sign in, as administrators manage them. */
export const users = {
  name: "users",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [page],
  menu: [{ name: "menu", to: "/users", icon: Users, needs: "users:read", group: "cluster" }],
  search: { needs: "users:read", find: findUsers },
} as const satisfies Feature;
