import { createRoute, lazyRouteComponent, notFound, redirect } from "@tanstack/react-router";
import type { Feature } from "@/features/feature";
import { pathOf } from "@/features/registry";
import { shell } from "@/features/roots";
import { findTasks } from "./find";
import type words from "./locales/en.json";
import { taskQuery } from "./queries";

declare module "i18next" {
  interface ResourceNamespaceMap {
    tasks: typeof words;
  }
}

/** For links that know a task but not its kind: leads on to the page of its kind. */
const anyTask = createRoute({
  getParentRoute: () => shell,
  path: "/tasks/$id",
  beforeLoad: async ({ context, params }) => {
    const task = await context.queries.ensureQueryData(taskQuery(params.id)).catch(() => undefined);
    if (task === undefined) return; // the page says why
    const to = pathOf(context.kinds, task);
    if (!to) throw notFound();
    throw redirect({ href: to, replace: true });
  },
  component: lazyRouteComponent(() => import("./any-task-page"), "AnyTaskPage"),
});

/** What a person runs, of whatever kind: its list, its page and what may be done to it. */
export const tasks = {
  name: "tasks",
  words: { en: () => import("./locales/en.json"), "zh-CN": () => import("./locales/zh-CN.json") },
  routes: [anyTask],
  search: { needs: "tasks:read", find: findTasks },
} as const satisfies Feature;
