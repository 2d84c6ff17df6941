import { useEffect, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { openStream } from "@/api/stream";
import { LogBuffer } from "./buffer";

const FLUSH_MS = 80;

export interface LiveLog {
  buffer: LogBuffer;
  /** Changes whenever the buffer has. */
  version: number;
  /** Whether the server has answered: without lines, the log is empty by then. */
  opened: boolean;
  ended: boolean;
  stale: number | null;
}

/** The log of one replica, followed until the task ends; goes on at the right byte after a break. */
export function useLog(task: string, rank: number, attempt: number | undefined): LiveLog {
  const buffer = useRef(new LogBuffer());
  const [version, setVersion] = useState(0);
  const [opened, setOpened] = useState(false);
  const [ended, setEnded] = useState(false);
  const [stale, setStale] = useState<number | null>(null);

  useEffect(() => {
    const lines = new LogBuffer();
    buffer.current = lines;
    setOpened(false);
    setEnded(false);
    setStale(null);
    setVersion((before) => before + 1);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      setVersion((before) => before + 1);
    };
    const query = new URLSearchParams({ rank: String(rank), ...(attempt && { attempt: String(attempt) }) });
    const close = openStream(
      (offset) => `/api/v1/tasks/${encodeURIComponent(task)}/log?${query}&offset=${offset || 0}`,
      {
        onOpen: () => setOpened(true),
        onStale: setStale,
        events: {
          log: (data) => {
            lines.append((data as Schemas["LogLines"]).text);
            timer ??= setTimeout(flush, FLUSH_MS);
          },
          end: () => {
            close();
            setEnded(true);
            setStale(null);
          },
        },
      },
    );
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [task, rank, attempt]);

  return { buffer: buffer.current, version, opened, ended, stale };
}
