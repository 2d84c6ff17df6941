import type { Feature } from "@/features/feature";
import type words from "./locales/en.json";

declare module "i18next" {
  interface ResourceNamespaceMap {
    virtual_clusters: typeof words;
  }
}

/** Shares of the cluster: which one new tasks start in, and what is free there. */
export const virtualClusters = {
  name: "virtual_clusters",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
} as const satisfies Feature;
