import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Bursts, create, place, remove, type TaskPages } from "@/tasks/changes";
import type { Task, TaskFilters, TaskSummary } from "@/tasks/queries";

const task = (id: string, state: TaskSummary["state"], version = 1) => ({ id, state, version }) as TaskSummary;

function lists(...wanted: [TaskFilters, TaskSummary[]][]): QueryClient {
  const queries = new QueryClient();
  for (const [filters, items] of wanted)
    queries.setQueryData<TaskPages>(["tasks", "list", filters], {
      pageParams: [undefined],
      pages: [{ items, next_cursor: null }],
    });
  return queries;
}

function shown(queries: QueryClient, filters: TaskFilters): string[] {
  const pages = queries.getQueryData<TaskPages>(["tasks", "list", filters])?.pages ?? [];
  return pages.flatMap((page) => page.items.map((item) => `${item.id} ${item.state}`));
}

describe("a task that changed", () => {
  test("changes in place, and an older state never replaces a newer one", () => {
    const queries = lists([{}, [task("2", "running", 5), task("1", "queued")]]);
    expect(place(queries, task("1", "running", 2))).toBe(false);
    expect(place(queries, task("2", "queued", 4))).toBe(false);
    expect(shown(queries, {})).toEqual(["2 running", "1 running"]);
    remove(queries, "2");
    expect(shown(queries, {})).toEqual(["1 running"]);
  });

  test("a list that lacks it, or has it in a state that it filters out, is read again", () => {
    const running: TaskFilters = { state: ["running"] };
    expect(place(lists([{}, []]), task("1", "queued"))).toBe(true);
    expect(place(lists([running, []]), task("1", "running"))).toBe(true);
    expect(place(lists([running, [task("1", "running")]]), task("1", "finished", 2))).toBe(true);
    expect(place(lists([running, []]), task("1", "finished"))).toBe(false);
    expect(place(lists([running, [task("1", "running")]]), task("1", "running", 2))).toBe(false);
  });
});

describe("a task that was just created", () => {
  test("is read again by its page, since the stream may have told more before the answer came", async () => {
    const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000, retry: false } } });
    const queued = task("1", "queued") as Task;
    const running = task("1", "running", 2) as Task;
    expect(place(queries, running)).toBe(false);
    create(queries, queued);

    const seen: unknown[] = [];
    const observer = new QueryObserver(queries, {
      queryKey: ["tasks", "detail", "1"],
      queryFn: () => Promise.resolve(running),
    });
    const leave = observer.subscribe((result) => seen.push(result.data?.state));
    expect(observer.getCurrentResult().data).toEqual(queued);
    await vi.waitFor(() => expect(seen.at(-1)).toBe("running"));
    leave();
  });
});

describe("reading again", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A list on the screen whose every read takes `ms`. */
  function watched(ms: number) {
    const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000, retry: false } } });
    let begun = 0;
    let arrived = 0;
    const observer = new QueryObserver(queries, {
      queryKey: ["tasks", "list", {}],
      queryFn: () => {
        begun += 1;
        return new Promise<number>((resolve) => setTimeout(() => resolve(begun), ms));
      },
    });
    const close = observer.subscribe((result) => {
      if (result.data !== undefined && result.data !== arrived) arrived = result.data;
    });
    return { queries, close, begun: () => begun, arrived: () => arrived };
  }

  test("once per burst", async () => {
    const list = watched(10);
    await vi.advanceTimersByTimeAsync(20);
    const bursts = new Bursts(list.queries);
    for (let count = 0; count < 50; count += 1) bursts.readAgain(["tasks", "list"]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(list.begun()).toBe(2);
    list.close();
  });

  test("changes without end do not keep a slow read from arriving, and the last change is read", async () => {
    const list = watched(1_000);
    const bursts = new Bursts(list.queries);
    for (let passed = 0; passed < 5_000; passed += 100) {
      bursts.readAgain(["tasks", "list"]);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(list.arrived()).toBeGreaterThanOrEqual(3);
    const before = list.begun();
    bursts.readAgain(["tasks", "list"]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(list.begun()).toBe(before + 1);
    expect(list.arrived()).toBe(list.begun());
    bursts.readAgain(["tasks", "list"]);
    bursts.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(list.arrived()).toBe(list.begun());
    list.close();
  });
});
