import { STATE_ORDER, type TaskState } from "../states";

export const SORTS = ["created_at", "name", "state", "duration"] as const;
export type SortKey = (typeof SORTS)[number];

/** What the list shows, as it stands in the address. Without a sort: newest first, as the server sends it. */
export interface ListSearch {
  words?: string;
  state?: TaskState[];
  owner?: "all";
  virtual_cluster?: string;
  sort?: SortKey;
  order?: "ascend" | "descend";
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, 128) : undefined;
}

/** The search of an address, with everything dropped that this page does not know. */
export function listSearchOf(raw: Record<string, unknown>): ListSearch {
  const states = (Array.isArray(raw.state) ? raw.state : [raw.state]).filter((state): state is TaskState =>
    STATE_ORDER.includes(state as TaskState),
  );
  const sort = SORTS.find((each) => each === raw.sort);
  return {
    words: text(raw.words),
    state: states.length > 0 ? states : undefined,
    owner: raw.owner === "all" ? "all" : undefined,
    virtual_cluster: text(raw.virtual_cluster),
    sort,
    order: sort && (raw.order === "ascend" || raw.order === "descend") ? raw.order : undefined,
  };
}
