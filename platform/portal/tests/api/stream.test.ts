import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openStream } from "@/api/stream";
import { FakeSource } from "../support/event-source";

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
