import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import type { Schemas } from "@/api/client";
import { openStream } from "@/api/stream";
import { useMay } from "@/identity/session";
import { useRefreshMs, useSettings } from "@/identity/settings";
import { Bursts, place, remove } from "./changes";
import type { TaskSummary } from "./queries";

const StaleContext = createContext<number | null>(null);

/** Since when rows do not change by themselves any more; null while they do. */
export function useStaleSince(): number | null {
  return use(StaleContext);
}

/** Keeps every task on the screen as the server sees it, by one stream for the whole portal. */
export function LiveTasks({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const may = useMay();
  const everybody = may("tasks:read_all");
  const reads = may("tasks:read");
  const [stale, setStale] = useState<number | null>(null);
  useSettings(); // whoever has set how often, it holds on every page
  const every = useRefreshMs();

  useEffect(() => {
    if (!reads) return;
    const bursts = new Bursts(queries);
    // A list that is being read right now may arrive with the state before a change.
    const reading = () => queries.isFetching({ queryKey: ["tasks", "list"] }) > 0;
    const close = openStream(() => `/api/v1/tasks/stream?owner=${everybody ? "all" : "me"}`, {
      onStale: setStale,
      events: {
        // Between reading a list and the beginning of the stream, or while it was away, something may have been missed.
        hello: () => bursts.readAgain(["tasks", "list"], ["tasks", "detail"], ["tasks", "events"], ["overview"]),
        task: (data) => {
          const changed = data as TaskSummary;
          if (place(queries, changed) || reading()) bursts.readAgain(["tasks", "list"]);
          bursts.readAgain(
            ["tasks", "detail", changed.id],
            ["tasks", "events", changed.id],
            ["overview"],
            ["virtual-clusters"],
          );
        },
        deleted: (data) => {
          remove(queries, (data as Schemas["StateChanged"]).id);
          if (reading()) bursts.readAgain(["tasks", "list"]);
          bursts.readAgain(["overview"]);
        },
      },
    });
    return () => {
      bursts.stop();
      close();
    };
  }, [queries, everybody, reads]);

  // While the stream is away, ask now and then: a proxy that breaks streams must not freeze the page.
  useEffect(() => {
    if (stale === null) return;
    const timer = setInterval(() => {
      // What is being read right now is let arrive: a server that breaks streams may be slow, too.
      queries.invalidateQueries({ queryKey: ["tasks"] }, { cancelRefetch: false });
      queries.invalidateQueries({ queryKey: ["overview"] }, { cancelRefetch: false });
    }, every);
    return () => clearInterval(timer);
  }, [queries, stale, every]);

  return <StaleContext value={stale}>{children}</StaleContext>;
}
