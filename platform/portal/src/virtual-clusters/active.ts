import { queryOptions, useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { api, body, type Schemas } from "@/api/client";

export type VirtualCluster = Schemas["VirtualCluster"];

export const clustersQuery = queryOptions({
  queryKey: ["virtual-clusters"],
  queryFn: async () => (await body(api.GET("/api/v1/virtual-clusters", { params: { query: { limit: 200 } } }))).items,
  refetchInterval: 30_000,
});

const STORED = "atoll.virtual_cluster";
const listeners = new Set<() => void>();

export function chooseCluster(name: string): void {
  localStorage.setItem(STORED, name);
  for (const each of listeners) each();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The virtual cluster in which new work starts: the chosen one, else the first that the person is a member of. */
export function useActiveCluster(): { active: VirtualCluster | undefined; mine: VirtualCluster[]; loaded: boolean } {
  const chosen = useSyncExternalStore(subscribe, () => localStorage.getItem(STORED));
  const { data, isSuccess } = useQuery(clustersQuery);
  const mine = (data ?? []).filter((cluster) => cluster.member);
  return { active: mine.find((cluster) => cluster.name === chosen) ?? mine[0], mine, loaded: isSuccess };
}
