import type { Feature } from "@/features/feature";
import type words from "./locales/en.json";

declare module "i18next" {
  interface ResourceNamespaceMap {
    files: typeof words;
  }
}

/** Directories and files of a person, as other pages show them. */
export const files = {
  name: "files",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
} as const satisfies Feature;
