import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { BrainCircuit } from "lucide-react";
import { lazy } from "react";
import type { Feature } from "@/features/feature";
import { shell } from "@/features/roots";
import { taskSearchOf } from "@/tasks/detail/search";
import { TASK_TABS } from "@/tasks/detail/tabs";
import { listSearchOf } from "@/tasks/list/search";
import type words from "./locales/en.json";

declare module "i18next" {
  interface ResourceNamespaceMap {
    training: typeof words;
  }
}

const PATH = "/training";

const list = createRoute({
  getParentRoute: () => shell,
  path: PATH,
  validateSearch: listSearchOf,
  staticData: { shows: ["tasks", "virtual_clusters"] },
  component: lazyRouteComponent(() => import("./list-page"), "TrainingListPage"),
});
const form = createRoute({
  getParentRoute: () => shell,
  path: `${PATH}/new`,
  validateSearch: (search: Record<string, unknown>): { copy?: string; example?: string } => ({
    copy: typeof search.copy === "string" ? search.copy : undefined,
    example: typeof search.example === "string" ? search.example : undefined,
  }),
  staticData: { shows: ["files", "virtual_clusters"] },
  component: lazyRouteComponent(() => import("./new-page"), "NewTrainingPage"),
});
const detail = createRoute({
  getParentRoute: () => shell,
  path: `${PATH}/$id`,
  validateSearch: taskSearchOf,
  staticData: { shows: ["tasks", "files"] },
  component: lazyRouteComponent(() => import("./detail-page"), "TrainingDetailPage"),
});

/** Training tasks: their form; all that a task of any kind has is `tasks/`. */
export const training = {
  name: "training",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [list, form, detail],
  menu: [{ name: "menu", to: PATH, icon: BrainCircuit, needs: "tasks:read", place: "model_training/training_list" }],
  kinds: [
    {
      kind: "training",
      path: PATH,
      icon: BrainCircuit,
      tabs: [...TASK_TABS, { id: "definition", View: lazy(() => import("./definition-tab")) }],
      Facts: lazy(() => import("./facts")),
      form: { path: `${PATH}/new`, needs: "tasks:create", first: { example: "digits" } },
    },
  ],
} as const satisfies Feature;
