import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";

export type Run = Schemas["Run"];
export type RunSummary = Schemas["RunSummary"];

export const runsQuery = infiniteQueryOptions({
  queryKey: ["runs", "list"],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam }) => body(api.GET("/api/v1/runs", { params: { query: { limit: 50, cursor: pageParam } } })),
  getNextPageParam: (page) => page.next_cursor ?? undefined,
  retry: false,
  refetchInterval: refreshMs,
});

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["runs", "detail", id],
    queryFn: () => body(api.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: id } } })),
    retry: false,
    refetchInterval: (query) => (query.state.data?.state === "running" ? refreshMs() : false),
  });
