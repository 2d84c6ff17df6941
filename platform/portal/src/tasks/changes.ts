import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import type { Task, TaskFilters, TaskSummary } from "./queries";

export type TaskPages = InfiniteData<Schemas["Page_TaskSummary_"]>;

const BURST_MS = 400;

/** Put a changed task where it is shown. Returns whether some list must be read again to be right. */
export function place(queries: QueryClient, changed: TaskSummary): boolean {
  let wrong = false;
  for (const [key, pages] of queries.getQueriesData<TaskPages>({ queryKey: ["tasks", "list"] })) {
    if (!pages) continue;
    const { kind, state } = (key[2] as TaskFilters | undefined) ?? {};
    if (kind && !kind.includes(changed.kind)) continue;
    const belongs = !state?.length || state.includes(changed.state);
    const known = pages.pages.some((page) => page.items.some((task) => task.id === changed.id));
    if (known !== belongs) wrong = true;
    if (!known) continue;
    queries.setQueryData<TaskPages>(key, {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        items: page.items.map((task) => (task.id === changed.id && task.version <= changed.version ? changed : task)),
      })),
    });
  }
  queries.setQueryData<Task>(["tasks", "detail", changed.id], (task) =>
    task && task.version <= changed.version ? { ...task, ...changed } : task,
  );
  return wrong;
}

/**
 * Show a task that was just created before it is read.
 *
 * What creating it answered may be older than what the stream told meanwhile, when nobody had the task to change;
 * so it is shown at once and read again by the page that shows it.
 */
export function create(queries: QueryClient, task: Task): void {
  queries.setQueryData<Task>(["tasks", "detail", task.id], task);
  queries.invalidateQueries({ queryKey: ["tasks", "detail", task.id] });
  queries.invalidateQueries({ queryKey: ["tasks", "list"] });
}

/** Take a task that is gone off every list. */
export function remove(queries: QueryClient, id: string): void {
  queries.setQueriesData<TaskPages>({ queryKey: ["tasks", "list"] }, (pages) =>
    pages
      ? {
          ...pages,
          pages: pages.pages.map((page) => ({ ...page, items: page.items.filter((task) => task.id !== id) })),
        }
      : pages,
  );
}

/** Reads again what changes come for. They come in bursts; what must be read again is read once per burst. */
export class Bursts {
  private readonly queries: QueryClient;
  private readonly due = new Map<string, readonly unknown[]>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient) {
    this.queries = queries;
  }

  /** Read everything below these keys again, soon. */
  readAgain(...keys: (readonly unknown[])[]): void {
    for (const key of keys) this.due.set(key.join("/"), key);
    this.timer ??= setTimeout(() => this.run(), BURST_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private run(): void {
    this.timer = undefined;
    for (const [name, queryKey] of this.due) {
      // Reading again cancels a read in flight; where changes never end, none would ever arrive.
      if (this.queries.isFetching({ queryKey }) > 0) continue;
      this.due.delete(name);
      this.queries.invalidateQueries({ queryKey });
    }
    if (this.due.size > 0) this.timer = setTimeout(() => this.run(), BURST_MS);
  }
}
