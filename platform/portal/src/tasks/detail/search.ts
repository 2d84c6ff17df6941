/** What the page of a task shows, as it stands in the address. */
export interface TaskSearch {
  tab?: string;
  /** Of the files: the directory. */
  path?: string;
  /** Of the log: the replica. */
  rank?: number;
}

/** The search of an address, with everything dropped that no tab knows. */
export function taskSearchOf(raw: Record<string, unknown>): TaskSearch {
  const { tab, path, rank } = raw;
  return {
    tab: typeof tab === "string" ? tab : undefined,
    path: typeof path === "string" ? path : undefined,
    rank: typeof rank === "number" && Number.isInteger(rank) && rank >= 0 ? rank : undefined,
  };
}
