/** Server-sent events that survive restarts of the server: EventSource gives up on 5xx, this does not. */

const PATIENCE_MS = [500, 1_000, 2_000, 5_000, 10_000];

export interface StreamHandlers {
  /** Per event name: gets the parsed data and the event's id. */
  events: Record<string, (data: unknown, id: string) => void>;
  /** The server answered, also after a break. */
  onOpen?: () => void;
  /** `null` while the stream lives, else since when it does not. */
  onStale?: (since: number | null) => void;
}

/** Open a stream and keep it open until the returned function is called. `address` gets the last event's id. */
export function openStream(address: (lastId: string) => string, handlers: StreamHandlers): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let lastId = "";
  let staleSince: number | null = null;
  let closed = false;

  function stale(since: number | null): void {
    if ((since === null) === (staleSince === null)) return;
    staleSince = since;
    handlers.onStale?.(since);
  }

  function open(): void {
    source = new EventSource(address(lastId));
    source.onopen = () => {
      failures = 0;
      stale(null);
      handlers.onOpen?.();
    };
    source.onerror = () => {
      stale(Date.now());
      if (closed) return; // who was told just now has heard enough
      if (source?.readyState !== EventSource.CLOSED) return; // it tries again by itself
      timer = setTimeout(open, PATIENCE_MS[Math.min(failures, PATIENCE_MS.length - 1)]);
      failures += 1;
    };
    for (const [name, handle] of Object.entries(handlers.events)) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        lastId = event.lastEventId || lastId;
        handle(JSON.parse(event.data), event.lastEventId);
      });
    }
  }

  open();
  return () => {
    closed = true;
    clearTimeout(timer);
    source?.close();
  };
}
