import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";

/** Product, version and cluster; public. */
export const aboutQuery = queryOptions({
  queryKey: ["about"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => body(api.GET("/api/v1/about")),
});

/** Whether this is an installed cluster; `./atoll dev` has no control service, so no services and runs to show. */
export function isInstalled(about: Schemas["About"] | undefined): boolean {
  return about !== undefined && about.engine !== "local";
}

export function useInstalled(): boolean {
  return isInstalled(useQuery(aboutQuery).data);
}
