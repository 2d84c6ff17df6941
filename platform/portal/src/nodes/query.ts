import { queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";

export type Node = Schemas["Node"];

export const nodesQuery = queryOptions({
  queryKey: ["nodes"],
  queryFn: () => body(api.GET("/api/v1/nodes")),
  refetchInterval: 10_000,
});
