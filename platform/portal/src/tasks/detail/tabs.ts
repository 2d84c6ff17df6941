import { lazy } from "react";
import type { TaskTab } from "@/features/feature";

/** What can be seen of a task of any kind; a kind leaves out what it has not, and adds its own. */
export const TASK_TABS = [
  { id: "overview", View: lazy(() => import("./overview-tab")) },
  { id: "log", View: lazy(() => import("../log/log-tab")) },
  { id: "charts", View: lazy(() => import("../charts/charts-tab")) },
  { id: "files", View: lazy(() => import("./files-tab")) },
  { id: "events", View: lazy(() => import("./events-tab")) },
] as const satisfies readonly TaskTab[];
