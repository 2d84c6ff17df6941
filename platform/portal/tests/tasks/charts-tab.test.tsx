// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import ChartsTab from "@/tasks/charts/charts-tab";
import type { Task } from "@/tasks/queries";
import { serve, show } from "../support/portal";

const ended = { id: "7", name: "digits", state: "finished", nodes: 1, attempts: [] } as unknown as Task;

async function opened(truncated: boolean) {
  serve({
    "GET /api/v1/tasks/7/metrics": () => ({ scalars: [], truncated, usage: [], usage_unavailable: null }),
  });
  await show(<ChartsTab task={ended} />, { at: "/training/7?tab=charts" });
  await screen.findByText("No scalars reported");
}

describe("the charts of a task", () => {
  test("say that they are cut off", async () => {
    await opened(true);
    expect(screen.getByText(/^Cut off:/)).toBeDefined();
  });

  test("say nothing of it when they are whole", async () => {
    await opened(false);
    expect(screen.queryByText(/^Cut off:/)).toBeNull();
  });
});
