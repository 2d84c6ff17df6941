// @vitest-environment happy-dom
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { useKind } from "@/features/registry";
import { TaskListPage } from "@/tasks/list/list-page";
import { LiveTasks } from "@/tasks/live";
import type { TaskSummary } from "@/tasks/queries";
import { FakeSource } from "../support/event-source";
import { problem, serve, show } from "../support/portal";

function task(id: string, state: TaskSummary["state"], more: Partial<TaskSummary> = {}): TaskSummary {
  return {
    id,
    name: `task-${id}`,
    kind: "training",
    state,
    version: 1,
    reason: null,
    framework: "numpy",
    devices: 1,
    nodes: 1,
    device_type: "nvidia_gpu_amd64",
    progress: null,
    created_at: `2026-01-0${id}T00:00:00Z`,
    state_since: "2026-01-01T00:00:00Z",
    started_at: null,
    finished_at: null,
    owner: { id: "1", name: "ada", nickname: "" },
    virtual_cluster: { id: "1", name: "default" },
    actions: ["stop", "copy"],
    ...more,
  } as TaskSummary;
}

const WORDS = { title: "Training", purpose: "All of them.", empty: "No training yet", first: "Runs your program." };

function List() {
  const kind = useKind("training");
  return <LiveTasks>{kind && <TaskListPage kind={kind} words={WORDS} />}</LiveTasks>;
}

const clusters = { "GET /api/v1/virtual-clusters": () => ({ items: [], next_cursor: null }) };
const names = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getByRole("link").textContent);

beforeEach(() => {
  FakeSource.made = [];
  vi.stubGlobal("EventSource", FakeSource);
});

describe("the list of tasks", () => {
  test("changes a row in place when the server tells of it, and reads nothing again for that", async () => {
    const asked = serve({
      ...clusters,
      "GET /api/v1/tasks": () => ({ items: [task("2", "running"), task("1", "queued")], next_cursor: null }),
    });
    await show(<List />, { at: "/training" });
    expect(await screen.findByText("Queued")).toBeDefined();
    const before = asked.filter((request) => request.url.includes("/tasks?")).length;
    act(() => FakeSource.newest.send("task", task("1", "running", { version: 2 }), "1"));
    await waitFor(() => expect(screen.queryByText("Queued")).toBeNull());
    expect(screen.getAllByText("Running")).toHaveLength(2);
    expect(names()).toEqual(["task-2", "task-1"]);
    act(() => FakeSource.newest.send("deleted", { id: "2" }, "2"));
    await waitFor(() => expect(names()).toEqual(["task-1"]));
    expect(asked.filter((request) => request.url.includes("/tasks?"))).toHaveLength(before);
  });

  test("asks for tasks of its kind only, and a change of another kind does not touch it", async () => {
    const asked = serve({
      ...clusters,
      "GET /api/v1/tasks": () => ({ items: [task("1", "queued")], next_cursor: null }),
    });
    await show(<List />, { at: "/training" });
    await screen.findByText("Queued");
    expect(
      new URL(asked.find((request) => request.url.includes("/tasks?"))?.url ?? "").searchParams.getAll("kind"),
    ).toEqual(["training"]);
    const other = { ...task("9", "running"), kind: "evaluation" as TaskSummary["kind"] };
    act(() => FakeSource.newest.send("task", other, "1"));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(asked.filter((request) => request.url.includes("/tasks?"))).toHaveLength(1);
  });

  test("without a task it says what one is, and offers the first step to who may take it", async () => {
    serve({ ...clusters, "GET /api/v1/tasks": () => ({ items: [], next_cursor: null }) });
    const { unmount } = await show(<List />, { at: "/training" });
    expect(await screen.findByText("No training yet")).toBeDefined();
    expect(screen.getByRole("link", { name: "Train the example" }).getAttribute("href")).toBe(
      "/training/new?example=digits",
    );
    unmount();
    await show(<List />, { at: "/training", session: { permissions: ["tasks:read"] } });
    expect(await screen.findByText("No training yet")).toBeDefined();
    expect(screen.queryByRole("link", { name: "Train the example" })).toBeNull();
    expect(screen.queryByRole("link", { name: "New training" })).toBeNull();
  });

  test("filters that nothing fits are told apart from an empty list, and can be taken away", async () => {
    serve({
      ...clusters,
      "GET /api/v1/tasks": (request) => ({
        items: request.url.includes("words=") ? [] : [task("1", "queued")],
        next_cursor: null,
      }),
    });
    const { router } = await show(<List />, { at: "/training?words=nothing" });
    await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    expect(await screen.findByText("Queued")).toBeDefined();
    expect(router.state.location.search).toEqual({});
  });

  test("a failure says what it is and is tried again; the filters live on", async () => {
    let broken = true;
    serve({
      ...clusters,
      "GET /api/v1/tasks": () =>
        broken
          ? problem(503, "database_unavailable", { request_id: "r-7" })
          : { items: [task("1", "queued")], next_cursor: null },
    });
    await show(<List />, { at: "/training" });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The database does not answer");
    expect(alert.textContent).toContain("r-7");
    expect(screen.getByLabelText("Name or description")).toBeDefined();
    broken = false;
    await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Queued")).toBeDefined();
  });

  test("who may not see it is told who can grant it, and is offered no other try", async () => {
    serve({ ...clusters, "GET /api/v1/tasks": () => problem(403, "not_allowed") });
    await show(<List />, { at: "/training" });
    expect(await screen.findByText("You may not see this")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Try again" })).toBeNull();
  });

  test("a stop is asked about first and tells what became of it", async () => {
    const asked = serve({
      ...clusters,
      "GET /api/v1/tasks": () => ({ items: [task("1", "running")], next_cursor: null }),
      "POST /api/v1/tasks/1/stop": () => problem(409, "already_ended"),
    });
    await show(<List />, { at: "/training" });
    await userEvent.click(await screen.findByRole("button", { name: "Stop task-1" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("Stop “task-1”?");
    expect(asked.some((request) => request.method === "POST")).toBe(false);
    await userEvent.click(within(dialog).getByRole("button", { name: "Stop" }));
    expect(await screen.findByText("Stopping “task-1” failed")).toBeDefined();
    expect(await screen.findByText("The task has already ended")).toBeDefined();
  });
});
