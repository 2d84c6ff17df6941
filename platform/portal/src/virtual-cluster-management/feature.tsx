import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { Layers } from "lucide-react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import type words from "./locales/en.json";
import { findClusters, searchOf } from "./search";

declare module "i18next" {
  interface ResourceNamespaceMap {
    virtual_cluster_management: typeof words;
  }
}

const list = createRoute({
  getParentRoute: () => shell,
  path: "/virtual-clusters",
  validateSearch: searchOf,
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./list-page"), "VirtualClustersPage"),
});

const form = createRoute({
  getParentRoute: () => shell,
  path: "/virtual-clusters/new",
  component: lazyRouteComponent(() => import("./new-page"), "NewVirtualClusterPage"),
});

const detail = createRoute({
  getParentRoute: () => shell,
  path: "/virtual-clusters/$id",
  validateSearch: searchOf,
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./detail-page"), "VirtualClusterPage"),
});

const edit = createRoute({
  getParentRoute: () => shell,
  path: "/virtual-clusters/$id/edit",
  staticData: { shows: ["people"] },
  component: lazyRouteComponent(() => import("./edit-page"), "EditVirtualClusterPage"),
});

/** Shares of the cluster: made, edited, extended and deleted by administrators, who say whose they are. */
export const virtualClusterManagement = {
  name: "virtual_cluster_management",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [list, form, detail, edit],
  menu: [
    {
      name: "menu",
      to: "/virtual-clusters",
      icon: Layers,
      needs: "virtual_clusters:manage",
      place: "virtual_cluster",
      form: { name: "new", to: "/virtual-clusters/new", needs: "virtual_clusters:manage" },
    },
  ],
  search: { needs: "virtual_clusters:manage", find: findClusters },
} as const satisfies Feature;
