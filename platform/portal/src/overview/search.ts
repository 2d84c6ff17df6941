/** Whose tasks are counted, and where, as it stands in the address; as the list of tasks says it. */
export interface Scope {
  owner?: "all";
  virtual_cluster?: string;
}

export function scopeOf(raw: Record<string, unknown>): Scope {
  const { owner, virtual_cluster: cluster } = raw;
  return {
    owner: owner === "all" ? "all" : undefined,
    virtual_cluster: typeof cluster === "string" && cluster !== "" ? cluster.slice(0, 63) : undefined,
  };
}
