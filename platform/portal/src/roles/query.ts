import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { api, body } from "@/api/client";
import type { Hit, SearchContext } from "@/features/feature";
import { presetOf } from "@/identity/role-name";
import { PEOPLE, type Role, roleQuery } from "@/people/queries";

const MOST = 8;

/** What stands in the address of the list. */
export function searchOf(search: Record<string, unknown>): { words?: string } {
  return { words: typeof search.words === "string" && search.words !== "" ? search.words.slice(0, 128) : undefined };
}

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

/** Roles by name; without words none, as all of them stand on one page. */
export async function findRoles(words: string, { i18n }: SearchContext): Promise<Hit[]> {
  if (words === "") return [];
  const { items } = await body(api.GET("/api/v1/roles", { params: { query: { words, limit: MOST } } }));
  return items.map(({ id, name }) => {
    const preset = presetOf(id);
    return {
      id,
      icon: ShieldCheck,
      label: preset ? i18n.t(`identity:role.${preset}`) : name,
      to: `/roles/${encodeURIComponent(id)}`,
    };
  });
}
