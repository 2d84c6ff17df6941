import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Server } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { findNodes } from "./query";

declare module "i18next" {
  interface ResourceNamespaceMap {
    nodes: typeof words;
  }
}

const page = createRoute({
  getParentRoute: () => shell,
  path: "/nodes",
  staticData: { shows: ["virtual_clusters"] },
  component: lazyRouteComponent(() => import("./nodes-page"), "NodesPage"),
});

/** The machines of the cluster and who uses their devices. */
export const nodes = {
  name: "nodes",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [page],
  menu: [{ name: "menu", to: "/nodes", icon: Server, needs: "nodes:read", place: "resource_monitoring/nodes" }],
  search: { needs: "nodes:read", find: findNodes },
} as const satisfies Feature;
