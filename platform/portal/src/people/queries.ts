import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";

export type Account = Schemas["Account"];
export type Group = Schemas["Group"];
export type Role = Schemas["Role"];

/** All that is read here begins with this: a change of one touches what is told of the others. */
export const PEOPLE = ["people"] as const;

/** Which users a list has, as it stands in the address of the page. */
export interface UserFilters {
  words?: string;
  active?: boolean;
  /** Those who can sign in, and whom nobody gave any rights yet. */
  waiting?: boolean;
  role?: string;
  group?: string;
}

const PAGE = 100;

interface PageOf<T> {
  items: T[];
  next_cursor?: string | null;
}

/** A list that is read page by page. */
function pages<T>(key: readonly unknown[], read: (at: { limit: number; cursor?: string }) => Promise<PageOf<T>>) {
  return infiniteQueryOptions({
    queryKey: [...PEOPLE, ...key],
    queryFn: ({ pageParam }) => read({ limit: PAGE, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  });
}

export const usersQuery = (filters: UserFilters) =>
  pages(["users", "list", filters], (at) =>
    body(api.GET("/api/v1/users", { params: { query: { ...filters, ...at } } })),
  );

/** The same users as a file. */
export function exportedUsers(filters: UserFilters): Promise<Blob> {
  const params = { query: { ...filters } };
  return body(api.POST("/api/v1/users/export", { params, parseAs: "blob" })) as unknown as Promise<Blob>;
}

export const groupsQuery = (words?: string) =>
  pages(["groups", "list", words], (at) => body(api.GET("/api/v1/groups", { params: { query: { words, ...at } } })));

export const rolesQuery = (words?: string) =>
  pages(["roles", "list", words], (at) => body(api.GET("/api/v1/roles", { params: { query: { words, ...at } } })));

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: [...PEOPLE, "users", "one", id],
    queryFn: () => body(api.GET("/api/v1/users/{user_id}", { params: { path: { user_id: id } } })),
  });

export const userTokensQuery = (id: string) =>
  queryOptions({
    queryKey: [...PEOPLE, "users", "access-tokens", id],
    queryFn: () =>
      body(
        api.GET("/api/v1/users/{user_id}/access-tokens", { params: { path: { user_id: id }, query: { limit: 200 } } }),
      ),
  });

export const groupQuery = (id: string) =>
  queryOptions({
    queryKey: [...PEOPLE, "groups", "one", id],
    queryFn: () => body(api.GET("/api/v1/groups/{group_id}", { params: { path: { group_id: id } } })),
  });

export const roleQuery = (id: string) =>
  queryOptions({
    queryKey: [...PEOPLE, "roles", "one", id],
    queryFn: () => body(api.GET("/api/v1/roles/{role_id}", { params: { path: { role_id: id } } })),
  });

export const groupUsersQuery = (id: string) =>
  pages(["groups", "users", id], (at) =>
    body(api.GET("/api/v1/groups/{group_id}/users", { params: { path: { group_id: id }, query: at } })),
  );

export const roleUsersQuery = (id: string) =>
  pages(["roles", "users", id], (at) =>
    body(api.GET("/api/v1/roles/{role_id}/users", { params: { path: { role_id: id }, query: at } })),
  );

export const roleGroupsQuery = (id: string) =>
  pages(["roles", "groups", id], (at) =>
    body(api.GET("/api/v1/roles/{role_id}/groups", { params: { path: { role_id: id }, query: at } })),
  );

export const countsQuery = queryOptions({
  queryKey: [...PEOPLE, "counts"],
  queryFn: () => body(api.GET("/api/v1/user-management")),
  refetchInterval: refreshMs,
});

/** The header by which an edit is refused when somebody else was quicker. */
export function ifMatch({ version }: { version: number }) {
  return { "if-match": `"${version}"` };
}

/** Who changed it last, as the audit has it; nothing where it tells of none. */
export async function lastChange(id: string): Promise<string | undefined> {
  const query = { object: id, outcome: "done" as const, limit: 1 };
  const { items } = await body(api.GET("/api/v1/audit", { params: { query } }));
  return items[0]?.actor_name;
}
