import { queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";

export type OwnSession = Schemas["OwnSession"];

/** As many as the server tells at once: nobody has so many on purpose. */
const ALL = { limit: 200 };

export const sessionsQuery = queryOptions({
  queryKey: ["account", "sessions"],
  queryFn: () => body(api.GET("/api/v1/sessions", { params: { query: ALL } })),
  refetchInterval: refreshMs,
});

export const tokensQuery = queryOptions({
  queryKey: ["account", "tokens"],
  queryFn: () => body(api.GET("/api/v1/access-tokens", { params: { query: ALL } })),
  refetchInterval: refreshMs,
});

export const tokenOptionsQuery = queryOptions({
  queryKey: ["account", "token-options"],
  queryFn: () => body(api.GET("/api/v1/access-tokens/options")),
  staleTime: 0,
});
