import { infiniteQueryOptions, queryOptions, useQueryClient } from "@tanstack/react-query";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import { CLUSTERS, pollMs, type VirtualCluster } from "@/virtual-clusters/active";

export type Capacity = Schemas["DeviceCapacity"];
export type Member = Schemas["ClusterMember"];

const PAGE = 100;

export const clusterQuery = (id: string) =>
  queryOptions({
    queryKey: [...CLUSTERS, "one", id],
    queryFn: () => body(api.GET("/api/v1/virtual-clusters/{cluster_id}", { params: { path: { cluster_id: id } } })),
    refetchInterval: ({ state }) => pollMs(state.data ? [state.data] : []),
  });

/** Of each device type: how many there are, and how many virtual clusters are granted. */
export const capacityQuery = queryOptions({
  queryKey: [...CLUSTERS, "capacity"],
  queryFn: () => body(api.GET("/api/v1/device-capacity")),
  refetchInterval: refreshMs,
});

/** Groups, then users, those of groups included; the server looks for the words. */
export const membersQuery = (id: string, words?: string) =>
  infiniteQueryOptions({
    queryKey: [...CLUSTERS, "members", id, words],
    queryFn: ({ pageParam: cursor }) =>
      body(
        api.GET("/api/v1/virtual-clusters/{cluster_id}/members", {
          params: { path: { cluster_id: id }, query: { words, limit: PAGE, cursor } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: refreshMs,
    placeholderData: (before) => before,
  });

/** Reads a virtual cluster as it is now, whatever is known of it here. */
export function useReread(id: string): () => Promise<VirtualCluster> {
  const queries = useQueryClient();
  return () => queries.fetchQuery({ ...clusterQuery(id), staleTime: 0 });
}

/** Has everything be read again that shows virtual clusters. */
export function useClustersChanged(): () => void {
  const queries = useQueryClient();
  return () => {
    queries.invalidateQueries({ queryKey: CLUSTERS });
    queries.invalidateQueries({ queryKey: ["overview"] });
  };
}
