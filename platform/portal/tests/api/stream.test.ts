import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStream } from "@/api/stream";

/** Stands in for the browser's; a test breaks and feeds it. */
class FakeSource {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static made: FakeSource[] = [];
  static get newest(): FakeSource {
    return FakeSource.made.at(-1) as FakeSource;
  }

  readonly address: string;
  readyState = FakeSource.CONNECTING;
  onopen?: () => void;
  onerror?: () => void;
  private readonly listeners = new Map<string, (event: unknown) => void>();

  constructor(address: string) {
    this.address = address;
    FakeSource.made.push(this);
  }

  addEventListener(name: string, listener: (event: unknown) => void): void {
    this.listeners.set(name, listener);
  }

  close(): void {
    this.readyState = FakeSource.CLOSED;
  }

  send(name: string, data: unknown, id: string): void {
    this.listeners.get(name)?.({ data: JSON.stringify(data), lastEventId: id });
  }

  /** The connection ends; `final` when the browser does not try again by itself. */
  break(final: boolean): void {
    this.readyState = final ? FakeSource.CLOSED : FakeSource.CONNECTING;
    this.onerror?.();
  }
}

beforeEach(() => {
  FakeSource.made = [];
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", FakeSource);
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("a stream", () => {
  test("goes on behind the last event when the server is gone for a while", () => {
    const heard: unknown[] = [];
    const stale: boolean[] = [];
    let opened = 0;
    openStream((id) => `/stream?after=${id}`, {
      onOpen: () => {
        opened += 1;
      },
      onStale: (since) => stale.push(since !== null),
      events: { line: (data) => heard.push(data) },
    });
    FakeSource.newest.onopen?.();
    FakeSource.newest.send("line", 1, "7");
    FakeSource.newest.break(true);
    vi.advanceTimersByTime(500);
    FakeSource.newest.onopen?.();
    FakeSource.newest.send("line", 2, "8");
    expect(FakeSource.made.map((source) => source.address)).toEqual(["/stream?after=", "/stream?after=7"]);
    expect(heard).toEqual([1, 2]);
    expect(stale).toEqual([true, false]);
    expect(opened).toBe(2);
  });

  test("who closes it when it breaks, as the page of a run that is over does, hears no more of it", () => {
    const close = openStream(() => "/journal", { onStale: (since) => since !== null && close(), events: {} });
    FakeSource.newest.onopen?.();
    FakeSource.newest.break(false); // the browser would try again; close() makes it CLOSED
    vi.advanceTimersByTime(60_000);
    expect(FakeSource.made).toHaveLength(1);
  });

  test("closed while it waits for its next try, it tries no more", () => {
    const close = openStream(() => "/journal", { events: {} });
    FakeSource.newest.break(true);
    close();
    FakeSource.newest.onerror?.();
    vi.advanceTimersByTime(60_000);
    expect(FakeSource.made).toHaveLength(1);
  });
});
