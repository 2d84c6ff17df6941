import { type InfiniteData, infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";

export type FileEntry = Schemas["FileEntry"];
export type Listing = Schemas["Listing"];

/** The API gives so many entries at once. */
export const PAGE_ENTRIES = 200;

/** The pages of a directory as one listing. Directories are written while they are read, so no entry is shown twice. */
export function joined({ pages }: InfiniteData<Listing>): Listing {
  const items = new Map(pages.flatMap((page) => page.items.map((file) => [file.path, file] as const)));
  const last = pages.at(-1) as Listing; // there is one as soon as there are data
  return { ...last, items: [...items.values()] };
}

/** A directory of the person's home, one page after the other. */
export const homePagesQuery = (path: string) =>
  infiniteQueryOptions({
    queryKey: ["home", "pages", path],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      body(api.GET("/api/v1/home/files", { params: { query: { path, limit: PAGE_ENTRIES, cursor: pageParam } } })),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    select: joined,
  });

/** The beginning of a directory of the person's home, relative to it. */
export const homeQuery = (path: string) =>
  queryOptions({
    queryKey: ["home", "start", path],
    queryFn: () => body(api.GET("/api/v1/home/files", { params: { query: { path, limit: PAGE_ENTRIES } } })),
  });

/** `/home/ada/code` → `code`: what the API calls a path below the home. */
export function relativeTo(home: string, path: string): string {
  const below = path === home ? "" : path.startsWith(`${home}/`) ? path.slice(home.length + 1) : path;
  return below.replace(/\/+$/, "");
}

export function parentOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

/** `a/b` → the folders on the way, root first. */
export function waysTo(path: string): { name: string; path: string }[] {
  const parts = path.split("/").filter(Boolean);
  return parts.map((name, index) => ({ name, path: parts.slice(0, index + 1).join("/") }));
}
