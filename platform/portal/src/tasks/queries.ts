import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import { joined, PAGE_ENTRIES } from "@/files/queries";
import type { TaskState } from "./states";

export type Task = Schemas["Task"];
export type TaskSummary = Schemas["TaskSummary"];

export interface TaskFilters {
  kind?: Task["kind"][];
  state?: TaskState[];
  owner?: "me" | "all";
  virtual_cluster?: string;
  words?: string;
}

export const taskListQuery = (filters: TaskFilters) =>
  infiniteQueryOptions({
    queryKey: ["tasks", "list", filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      body(
        api.GET("/api/v1/tasks", {
          params: { query: { ...filters, limit: 100, cursor: pageParam } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ["tasks", "detail", id],
    queryFn: () => body(api.GET("/api/v1/tasks/{task_id}", { params: { path: { task_id: id } } })),
  });

export const taskEventsQuery = (id: string) =>
  queryOptions({
    queryKey: ["tasks", "events", id],
    queryFn: () => body(api.GET("/api/v1/tasks/{task_id}/events", { params: { path: { task_id: id } } })),
  });

export const taskMetricsQuery = (id: string, live: boolean) =>
  queryOptions({
    queryKey: ["tasks", "metrics", id],
    queryFn: () => body(api.GET("/api/v1/tasks/{task_id}/metrics", { params: { path: { task_id: id } } })),
    refetchInterval: live ? refreshMs : false,
  });

/** A directory of the output, one page after the other. */
export const taskFilesQuery = (id: string, path: string, live: boolean) =>
  infiniteQueryOptions({
    queryKey: ["tasks", "files", id, path],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      body(
        api.GET("/api/v1/tasks/{task_id}/files", {
          params: { path: { task_id: id }, query: { path, limit: PAGE_ENTRIES, cursor: pageParam } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: joined,
    refetchInterval: live ? refreshMs : false,
  });
