import { ShieldCheck } from "lucide-react";
import { api, body } from "@/api/client";
import type { Hit, SearchContext } from "@/features/feature";
import { presetOf } from "@/identity/role-name";

const MOST = 8;

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
