// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test, vi } from "vitest";
import LogTab from "@/tasks/log/log-tab";
import type { Task } from "@/tasks/queries";
import { FakeSource } from "../support/event-source";
import { problem, serve, show } from "../support/portal";

const LINE_PX = 18;
const HEIGHT = 600;

const running = { id: "7", name: "digits", state: "running", nodes: 1, attempts: [] } as unknown as Task;

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `step ${from + index} loss 0.5`);

/** The place where the lines are; there is none in a browser without a screen, so it gets sizes here. */
function frame(): HTMLElement {
  return screen.getByRole("log");
}

beforeEach(() => {
  FakeSource.made = [];
  vi.stubGlobal("EventSource", FakeSource);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(HEIGHT);
  vi.spyOn(HTMLElement.prototype, "scrollHeight", "get").mockImplementation(function (this: HTMLElement) {
    return Number.parseFloat((this.firstElementChild as HTMLElement | null)?.style.height ?? "0");
  });
  vi.spyOn(HTMLElement.prototype, "scrollTo").mockImplementation(function (this: HTMLElement, to: unknown) {
    scroll(this, (to as { top: number }).top);
  } as never);
});

function scroll(element: HTMLElement, top: number): void {
  element.scrollTop = top;
  fireEvent.scroll(element);
}

let sent = 0;

async function write(texts: string[]): Promise<void> {
  sent += 1;
  act(() => FakeSource.newest.send("log", { text: texts.map((text) => `${text}\n`).join("") }, String(sent)));
  await waitFor(() => expect(screen.getByRole("log")).toBeDefined());
  await act(() => new Promise((resolve) => setTimeout(resolve, 120))); // lines are drawn in bursts
}

async function opened(task = running) {
  const view = await show(<LogTab task={task} />, { at: "/training/7?tab=log" });
  act(() => FakeSource.newest.onopen?.());
  return view;
}

describe("the log of a task", () => {
  test("follows what comes until a person scrolls up, and again when asked to", async () => {
    await opened();
    expect(await screen.findByText("No lines yet")).toBeDefined();
    await write(lines(0, 100));
    expect(frame().scrollTop).toBe(100 * LINE_PX);
    expect(screen.getByText("Live · 100 lines")).toBeDefined();

    fireEvent.scroll(frame());
    act(() => scroll(frame(), 200));
    await write(lines(100, 200));
    expect(frame().scrollTop).toBe(200);
    await userEvent.click(screen.getByRole("button", { name: "Follow" }));
    expect(frame().scrollTop).toBe(200 * LINE_PX);
    expect(screen.queryByRole("button", { name: "Follow" })).toBeNull();
  });

  test("draws only the lines in sight", async () => {
    await opened();
    await write(lines(0, 5_000));
    const drawn = frame().querySelectorAll(".log-line").length;
    expect(drawn).toBeGreaterThan(HEIGHT / LINE_PX);
    expect(drawn).toBeLessThan(150);
  });

  test("is searched as one types, with the count of hits, from hit to hit and round again", async () => {
    await opened();
    const text = lines(0, 300);
    text[40] = "Checkpoint one";
    text[250] = "checkpoint two";
    await write(text);
    await userEvent.type(screen.getByLabelText("Search the log"), "checkpoint");
    expect(await screen.findByText("0/2")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Next hit" }));
    expect(screen.getByText("1/2")).toBeDefined();
    expect(frame().querySelector(".log-current mark")?.textContent).toBe("Checkpoint");
    await userEvent.click(screen.getByRole("button", { name: "Next hit" }));
    expect(frame().querySelector(".log-current")?.textContent).toContain("checkpoint two");
    await userEvent.click(screen.getByRole("button", { name: "Next hit" }));
    expect(screen.getByText("1/2")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Previous hit" }));
    expect(screen.getByText("2/2")).toBeDefined();
    await write(["checkpoint three"]);
    expect(screen.getByText("2/3")).toBeDefined();
  });

  test("says how many errors it has and jumps to them, and stops following there", async () => {
    await opened();
    const text = lines(0, 300);
    text[120] = "ValueError: no such column";
    await write(text);
    await userEvent.click(screen.getByRole("button", { name: "1 error" }));
    expect(frame().querySelector(".log-current")?.textContent).toContain("ValueError: no such column");
    expect(frame().scrollTop).toBe(120 * LINE_PX - HEIGHT / 2);
    await write(lines(300, 400));
    expect(frame().scrollTop).toBe(120 * LINE_PX - HEIGHT / 2);
  });

  test("that came to its end is followed no more and says its length", async () => {
    await opened({ ...running, state: "finished" });
    await write(lines(0, 3));
    act(() => FakeSource.newest.send("end", {}, "9"));
    expect(await screen.findByText("3 lines")).toBeDefined();
    expect(FakeSource.newest.readyState).toBe(FakeSource.CLOSED);
  });

  test("that cannot be had says why", async () => {
    serve({ "GET /api/v1/tasks/7/log": () => problem(410, "log_gone") });
    await show(<LogTab task={{ ...running, state: "finished" }} />, { at: "/training/7?tab=log" });
    act(() => FakeSource.newest.break(true));
    const alert = await screen.findByRole("alert");
    expect(within(alert).getByText("This log is no longer there")).toBeDefined();
  });
});
