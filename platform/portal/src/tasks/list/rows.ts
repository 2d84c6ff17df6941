import { useRef } from "react";
import { secondsBetween } from "@/formats/moments";
import type { TaskSummary } from "../queries";
import { STATE_ORDER } from "../states";
import type { SortKey } from "./search";

/** How long a task has run, or ran; before its start nothing. */
export function runSeconds(task: TaskSummary, now: number): number {
  return task.started_at ? secondsBetween(task.started_at, task.finished_at, now) : 0;
}

const VALUES: Record<SortKey, (task: TaskSummary) => string | number> = {
  created_at: (task) => task.created_at,
  name: (task) => task.name.toLowerCase(),
  state: (task) => STATE_ORDER.indexOf(task.state),
  duration: (task) => runSeconds(task, Date.now()),
};

/** The rows in the wanted order; without a wish as the server sent them, newest first. */
export function sorted(rows: TaskSummary[], sort?: SortKey, order?: "ascend" | "descend"): TaskSummary[] {
  if (!sort || !order) return rows;
  const value = VALUES[sort];
  const direction = order === "ascend" ? 1 : -1;
  return [...rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    return a === b ? 0 : a < b ? -direction : direction;
  });
}

/**
 * The same rows, but while a pointer rests on the list no row moves: known rows keep their places and change in them,
 * new ones wait until it has left.
 */
export function still(rows: TaskSummary[], places: readonly string[]): TaskSummary[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return places.flatMap((id) => byId.get(id) ?? []);
}

export function useStill(rows: TaskSummary[], resting: boolean): TaskSummary[] {
  const places = useRef<string[]>([]);
  const grown = rows.length > places.current.length + 20; // the person asked for more, or for another list
  if (!resting || places.current.length === 0 || grown) {
    places.current = rows.map((row) => row.id);
    return rows;
  }
  const kept = still(rows, places.current);
  if (kept.length > 0) return kept;
  places.current = rows.map((row) => row.id);
  return rows;
}
