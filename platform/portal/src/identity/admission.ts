import { allows, type Feature } from "@/features/feature";
import { entriesOf } from "@/features/menu";
import type { Session } from "./session";

/** What an administrator has to give before any page is of use. */
export type Lack = "role" | "virtual_cluster";

/**
 * What somebody who is signed in lacks. Who administers needs no virtual cluster; that is whoever may open a page of
 * administration, of which the features have the list.
 */
export function lacksOf(
  { permissions, virtual_clusters: clusters }: Pick<Session, "permissions" | "virtual_clusters">,
  features: readonly Feature[],
): Lack[] {
  const administers = entriesOf(features).some((entry) => entry.administration && allows(permissions, entry.needs));
  return [
    ...(permissions.length === 0 ? (["role"] as const) : []),
    ...(clusters.length === 0 && !administers ? (["virtual_cluster"] as const) : []),
  ];
}

/** The first page that a person may open and this installation has: not everybody may see the overview. */
export function homeOf(
  { permissions }: Pick<Session, "permissions">,
  features: readonly Feature[],
  installed: boolean,
): string {
  const first = entriesOf(features).find(
    (entry) => (installed || !entry.installed) && allows(permissions, entry.needs),
  );
  return first?.to ?? "/overview";
}
