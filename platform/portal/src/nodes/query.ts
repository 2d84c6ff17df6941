import { queryOptions } from "@tanstack/react-query";
import { Server } from "lucide-react";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import type { Hit, SearchContext } from "@/features/feature";

export type Node = Schemas["Node"];

export const nodesQuery = queryOptions({
  queryKey: ["nodes"],
  queryFn: () => body(api.GET("/api/v1/nodes")),
  refetchInterval: refreshMs,
});

const MOST = 8;

/** Nodes by name or address; without words none, as all of them stand on one page. */
export async function findNodes(words: string, { queries }: SearchContext): Promise<Hit[]> {
  if (words === "") return [];
  const { items } = await queries.ensureQueryData(nodesQuery);
  const fits = (text: string) => text.toLowerCase().includes(words.toLowerCase());
  return items
    .filter((node) => fits(node.name) || fits(node.address))
    .slice(0, MOST)
    .map((node) => ({ id: node.name, icon: Server, label: node.name, detail: node.address, to: "/nodes" }));
}
