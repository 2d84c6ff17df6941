import { type InfiniteData, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import type { Schemas } from "@/api/client";
import { openStream } from "@/api/stream";
import { useMay } from "@/identity/session";
import type { Task, TaskSummary } from "./queries";

type TaskPages = InfiniteData<Schemas["Page_TaskSummary_"]>;

const POLL_MS = 10_000;

const StaleContext = createContext<number | null>(null);

/** Since when rows do not change by themselves any more; null while they do. */
export function useStaleSince(): number | null {
  return use(StaleContext);
}

/** Put a changed task where it is shown. Returns whether some list lacks it. */
function place(queries: QueryClient, changed: TaskSummary): boolean {
  let missing = false;
  for (const [key, pages] of queries.getQueriesData<TaskPages>({ queryKey: ["tasks", "list"] })) {
    if (!pages) continue;
    const known = pages.pages.some((page) => page.items.some((task) => task.id === changed.id));
    if (!known) {
      missing = true;
      continue;
    }
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
  return missing;
}

function remove(queries: QueryClient, id: string): void {
  queries.setQueriesData<TaskPages>({ queryKey: ["tasks", "list"] }, (pages) =>
    pages
      ? {
          ...pages,
          pages: pages.pages.map((page) => ({ ...page, items: page.items.filter((task) => task.id !== id) })),
        }
      : pages,
  );
}

/** Keeps every task on the screen as the server sees it, by one stream for the whole portal. */
export function LiveTasks({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const may = useMay();
  const everybody = may("tasks:read_all");
  const reads = may("tasks:read");
  const [stale, setStale] = useState<number | null>(null);

  useEffect(() => {
    if (!reads) return;
    // Changes come in bursts; what must be read again is read once per burst.
    const due = new Map<string, readonly unknown[]>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    function readAgain(...keys: (readonly unknown[])[]) {
      for (const key of keys) due.set(key.join("/"), key);
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const key of due.values()) queries.invalidateQueries({ queryKey: key });
        due.clear();
      }, 400);
    }
    const close = openStream(() => `/api/v1/tasks/stream?owner=${everybody ? "all" : "me"}`, {
      onStale: setStale,
      events: {
        // Between reading a list and the beginning of the stream, or while it was away, something may have been missed.
        hello: () => readAgain(["tasks", "list"], ["tasks", "detail"], ["tasks", "events"], ["overview"]),
        task: (data) => {
          const changed = data as TaskSummary;
          // A list that is being read right now may arrive with the state before this change.
          const reading = queries.isFetching({ queryKey: ["tasks", "list"] }) > 0;
          if (place(queries, changed) || reading) readAgain(["tasks", "list"]);
          readAgain(
            ["tasks", "detail", changed.id],
            ["tasks", "events", changed.id],
            ["overview"],
            ["virtual-clusters"],
          );
        },
        deleted: (data) => {
          remove(queries, (data as Schemas["StateChanged"]).id);
          readAgain(["overview"]);
        },
      },
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [queries, everybody, reads]);

  // While the stream is away, ask now and then: a proxy that breaks streams must not freeze the page.
  useEffect(() => {
    if (stale === null) return;
    const timer = setInterval(() => {
      queries.invalidateQueries({ queryKey: ["tasks"] });
      queries.invalidateQueries({ queryKey: ["overview"] });
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [queries, stale]);

  return <StaleContext value={stale}>{children}</StaleContext>;
}
