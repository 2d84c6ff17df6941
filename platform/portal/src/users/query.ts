import { infiniteQueryOptions } from "@tanstack/react-query";
import { User } from "lucide-react";
import { api, body, type Schemas } from "@/api/client";
import type { Hit } from "@/features/feature";

export type Account = Schemas["Account"];

/** What stands in the address of the page. */
export interface UserFilters {
  words?: string;
  active?: boolean;
}

const PAGE = 100;
const MOST = 8;

export const usersQuery = (filters: UserFilters) =>
  infiniteQueryOptions({
    queryKey: ["users", "list", filters],
    queryFn: ({ pageParam }) =>
      body(api.GET("/api/v1/users", { params: { query: { ...filters, limit: PAGE, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  });

export function filtersOf(search: Record<string, unknown>): UserFilters {
  return {
    words: typeof search.words === "string" && search.words !== "" ? search.words : undefined,
    active: typeof search.active === "boolean" ? search.active : undefined,
  };
}

/** Users by name; without words none, as all of them stand on one page. */
export async function findUsers(words: string): Promise<Hit[]> {
  if (words === "") return [];
  const { items } = await body(api.GET("/api/v1/users", { params: { query: { words, limit: MOST } } }));
  return items.map(({ id, name, nickname }) => ({
    id,
    icon: User,
    label: name,
    detail: nickname,
    to: `/users?words=${encodeURIComponent(name)}`,
  }));
}
