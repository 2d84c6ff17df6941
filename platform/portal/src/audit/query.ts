import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import type { Source } from "@/people/choice";
import { type AuditSearch, askedFor } from "./search";

export type AuditRecord = Schemas["AuditRecord"];

const PAGE = 100;

export const auditQuery = ({ record: _, ...search }: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ["audit", "list", search],
    queryFn: ({ pageParam }) => {
      const query = { ...askedFor(search, Date.now()), limit: PAGE, cursor: pageParam };
      return body(api.GET("/api/v1/audit", { params: { query } }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  });

export const recordQuery = (id: string) =>
  queryOptions({
    queryKey: ["audit", "one", id],
    queryFn: () => body(api.GET("/api/v1/audit/{record_id}", { params: { path: { record_id: id } } })),
  });

const MOST = 20;

/** Who did something: accounts, and others by the begin of their names. */
export const ACTORS: Source = {
  key: "actors",
  find: async (words) => {
    const { items } = await body(api.GET("/api/v1/audit/actors", { params: { query: { words, limit: MOST } } }));
    return items.map(({ name, nickname }) => ({ value: name, label: name, detail: nickname }));
  },
};

/** All that the search selects, as a file. */
export function exported(search: AuditSearch): Promise<Blob> {
  const query = askedFor(search, Date.now());
  return body(api.POST("/api/v1/audit/export", { params: { query }, parseAs: "blob" })) as unknown as Promise<Blob>;
}
