import { User } from "lucide-react";
import { api, body } from "@/api/client";
import type { Hit } from "@/features/feature";
import type { UserFilters } from "@/people/queries";

const MOST = 8;

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 128) : undefined;
}

/** The filters of an address, with everything dropped that this page does not know. */
export function filtersOf(search: Record<string, unknown>): UserFilters {
  return {
    words: text(search.words),
    active: typeof search.active === "boolean" ? search.active : undefined,
    waiting: search.waiting === true ? true : undefined,
    role: text(search.role),
    group: text(search.group),
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
    to: `/users/${encodeURIComponent(id)}`,
  }));
}
