import { api, body } from "@/api/client";
import type { Hit, SearchContext } from "@/features/feature";
import { pathOf } from "@/features/registry";
import { STATES, UNKNOWN } from "./states";

const MOST = 8;

/** The newest tasks that have these words in their names; without words, the newest. */
export async function findTasks(words: string, { kinds, i18n }: SearchContext): Promise<Hit[]> {
  const query = { words: words || undefined, limit: MOST };
  const { items } = await body(api.GET("/api/v1/tasks", { params: { query } }));
  return items.flatMap((task) => {
    const to = pathOf(kinds, task);
    if (!to) return [];
    const { icon } = STATES[task.state] ?? UNKNOWN;
    return [{ id: task.id, icon, label: task.name, detail: i18n.t(`tasks:state.${task.state}`), to }];
  });
}
