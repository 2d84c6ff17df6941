import { queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import type { Scope } from "./search";

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => body(api.GET("/api/v1/overview")),
  refetchInterval: refreshMs,
});

/** How many tasks are in each state; read again with the overview whenever a task changes. */
export const countsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: ["overview", "counts", scope],
    queryFn: () => body(api.GET("/api/v1/task-counts", { params: { query: scope } })),
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  });
