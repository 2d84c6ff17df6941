import { queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => body(api.GET("/api/v1/overview")),
  refetchInterval: 30_000,
});
