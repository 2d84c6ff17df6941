import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { refreshMs } from "@/api/refresh";
import { useFailures } from "@/elements/failures";
import { settingsQuery, useChangeSettings, useSettings } from "@/identity/settings";

export type VirtualCluster = Schemas["VirtualCluster"];

/** All that is read of virtual clusters begins with this. */
export const CLUSTERS = ["virtual-clusters"] as const;

const PAGE = 200;
/** Something that is being made ready or taken away is so in a moment. */
const CHANGING_MS = 2_000;

/** What is asked for again soon while the engine has not followed yet, else as often as the person has set. */
export function pollMs(clusters: readonly Pick<VirtualCluster, "standing">[]): number {
  const changing = clusters.some(({ standing }) => standing !== "ready");
  return changing ? Math.min(CHANGING_MS, refreshMs()) : refreshMs();
}

async function readAll(): Promise<VirtualCluster[]> {
  const found: VirtualCluster[] = [];
  let cursor: string | undefined;
  do {
    const page = await body(api.GET("/api/v1/virtual-clusters", { params: { query: { limit: PAGE, cursor } } }));
    found.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return found;
}

export const clustersQuery = queryOptions({
  queryKey: CLUSTERS,
  queryFn: readAll,
  refetchInterval: ({ state }) => pollMs(state.data ?? []),
});

/** The virtual cluster in which new work starts: the one that the person uses, else the first that is theirs. */
export function useActiveCluster(): { active: VirtualCluster | undefined; mine: VirtualCluster[]; loaded: boolean } {
  const settings = useSettings();
  const { data, isSuccess } = useQuery(clustersQuery);
  const mine = (data ?? []).filter((cluster) => cluster.member);
  const used = settings.data?.virtual_cluster?.id;
  const active = mine.find((cluster) => cluster.id === used) ?? mine[0];
  return { active, mine, loaded: isSuccess && !settings.isLoading };
}

/** Uses another virtual cluster from now on, in every browser; shown at once, and taken back when the server refuses. */
export function useSwitchCluster(): (to: Pick<VirtualCluster, "id" | "name">) => Promise<void> {
  const { t } = useTranslation("virtual_clusters");
  const queries = useQueryClient();
  const change = useChangeSettings();
  const failures = useFailures();
  return async function switchTo({ id, name }) {
    const key = "virtual-clusters/switch";
    await queries.cancelQueries({ queryKey: settingsQuery.queryKey });
    queries.setQueryData(settingsQuery.queryKey, (now) => now && { ...now, virtual_cluster: { id, name } });
    try {
      await change({ virtual_cluster: id });
      failures.settle(key);
    } catch (error) {
      queries.invalidateQueries({ queryKey: settingsQuery.queryKey });
      queries.invalidateQueries({ queryKey: CLUSTERS }); // it may be theirs no more
      failures.tell({ key, title: t("switch_failed", { name }), error, retry: () => switchTo({ id, name }) });
    }
  };
}
