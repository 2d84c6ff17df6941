import { User } from "lucide-react";
import { api, body } from "@/api/client";
import type { Hit } from "@/features/feature";

const MOST = 8;

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
