import { queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { ApiProblem } from "@/api/problem";
import { refreshMs } from "@/api/refresh";

export const portsQuery = queryOptions({
  queryKey: ["ports"],
  queryFn: () => body(api.GET("/api/v1/ports")),
  retry: false,
});

export const servicesQuery = queryOptions({
  queryKey: ["services"],
  queryFn: () => body(api.GET("/api/v1/services")),
  // An installation without a control service gets none by asking again.
  refetchInterval: (query) =>
    query.state.error instanceof ApiProblem && query.state.error.code === "no_control_service" ? false : refreshMs(),
  retry: false,
});
