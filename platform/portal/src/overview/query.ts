import { queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { refreshMs } from "@/api/refresh";

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => body(api.GET("/api/v1/overview")),
  refetchInterval: refreshMs,
});
