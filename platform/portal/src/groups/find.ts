import { UsersRound } from "lucide-react";
import { api, body } from "@/api/client";
import type { Hit } from "@/features/feature";

const MOST = 8;

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
