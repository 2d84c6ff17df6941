import { UsersRound } from "lucide-react";
import { api, body } from "@/api/client";
import type { Hit } from "@/features/feature";

const MOST = 8;

/** What stands in the address of the list. */
export function searchOf(search: Record<string, unknown>): { words?: string } {
  return { words: typeof search.words === "string" && search.words !== "" ? search.words.slice(0, 128) : undefined };
}

/** Groups by name; without words none, as all of them stand on one page. */
export async function findGroups(words: string): Promise<Hit[]> {
  if (words === "") return [];
  const { items } = await body(api.GET("/api/v1/groups", { params: { query: { words, limit: MOST } } }));
  return items.map(({ id, name, description }) => ({
    id,
    icon: UsersRound,
    label: name,
    detail: description,
    to: `/groups/${encodeURIComponent(id)}`,
  }));
}
