import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, body } from "@/api/client";

/** Product, version and cluster; public. */
export const aboutQuery = queryOptions({
  queryKey: ["about"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => body(api.GET("/api/v1/about")),
});

/** Whether this is an installed cluster; `./atoll dev` has no control service, so no services and runs to show. */
export function useInstalled(): boolean {
  const { data } = useQuery(aboutQuery);
  return data !== undefined && data.engine !== "local";
}
