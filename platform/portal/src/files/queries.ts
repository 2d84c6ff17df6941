import { queryOptions } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";

export type FileEntry = Schemas["FileEntry"];
export type Listing = Schemas["Listing"];

/** A directory of the person's home, relative to it. */
export const homeQuery = (path: string) =>
  queryOptions({
    queryKey: ["home", path],
    queryFn: () => body(api.GET("/api/v1/home/files", { params: { query: { path, limit: 200 } } })),
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
