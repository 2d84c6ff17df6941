import { Layers } from "lucide-react";
import type { Hit, SearchContext } from "@/features/feature";
import { clustersQuery } from "@/virtual-clusters/active";

const MOST = 8;
const MOST_LETTERS = 128;

/** What stands in the address of a list. */
export function searchOf(search: Record<string, unknown>): { words?: string } {
  const { words } = search;
  return { words: typeof words === "string" && words !== "" ? words.slice(0, MOST_LETTERS) : undefined };
}

/** Whose names have these words. */
export function called<T extends { name: string }>(all: readonly T[], words = ""): T[] {
  const looked = words.trim().toLowerCase();
  return all.filter(({ name }) => name.toLowerCase().includes(looked));
}

/** Virtual clusters by name; without words none, as all of them stand on one page. */
export async function findClusters(words: string, { queries }: SearchContext): Promise<Hit[]> {
  if (words === "") return [];
  const all = await queries.ensureQueryData(clustersQuery);
  return called(all, words)
    .slice(0, MOST)
    .map(({ id, name }) => ({ id, icon: Layers, label: name, to: `/virtual-clusters/${encodeURIComponent(id)}` }));
}
