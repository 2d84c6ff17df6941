import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { PEOPLE, type Role, roleQuery } from "@/people/queries";

/** What can be granted. */
export const permissionsQuery = queryOptions({
  queryKey: [...PEOPLE, "permissions"],
  queryFn: () => body(api.GET("/api/v1/permissions")),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Reads a role as it is now, whatever is known of it here. */
export function useReread(id: string): () => Promise<Role> {
  const queries = useQueryClient();
  return () => queries.fetchQuery({ ...roleQuery(id), staleTime: 0 });
}
