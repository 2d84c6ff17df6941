// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { refreshMs } from "@/api/refresh";
import { CHARTS } from "@/overview/charts";
import { WAY } from "@/overview/flow";
import { OverviewPage } from "@/overview/overview-page";
import { countsQuery, overviewQuery } from "@/overview/query";
import { problem, serve, show } from "../support/portal";
import { cluster } from "../virtual-clusters/support";

const OVERVIEW = { tasks: [], recent: [], virtual_clusters: [], nodes: null, running_total: null, attention: [] };
const COUNTS = [{ kind: "training", states: { running: 2, failed: 1, killed: 1 } }];
const served = {
  "GET /api/v1/overview": () => OVERVIEW,
  "GET /api/v1/task-counts": () => COUNTS,
  "GET /api/v1/virtual-clusters": () => ({
    items: [cluster({ name: "vision" }), cluster({ id: "v2", name: "speech" })],
    next_cursor: null,
  }),
  "GET /api/v1/about": () => ({ engine: "local", version: "1" }),
};
const USER = ["overview:read", "tasks:read", "virtual_clusters:read"] as never;
const ADMIN = ["overview:read", "tasks:read", "tasks:read_all", "virtual_clusters:read"] as never;

const chart = (name: string) => screen.findByRole("region", { name });
async function rows(name: string): Promise<string[]> {
  return within(await chart(name))
    .getAllByRole("listitem")
    .map((item) => item.textContent ?? "");
}

describe("the way through the platform", () => {
  test("is in the manual's order; a step leads to its list, one that is not there says so", async () => {
    serve(served);
    await show(<OverviewPage />, { at: "/overview", session: { permissions: USER } });
    const heading = await screen.findByRole("heading", { name: "The recommended way" });
    const steps = within(heading.closest("section") as HTMLElement).getAllByRole("listitem");
    expect(steps).toHaveLength(5);
    expect(steps.map((step) => within(step).queryByRole("link")?.getAttribute("href"))).toEqual([
      undefined,
      undefined,
      "/training",
      undefined,
      undefined,
    ]);
    const [code, data, train, models, infer] = steps;
    for (const step of [code, data, models, infer])
      expect(step?.textContent).toContain("Not part of this version yet.");
    expect(train?.textContent).not.toContain("Not part");
    expect(code?.textContent).toContain("Code development");
    expect(infer?.textContent).toContain("Inference service");
  });

  test("says of a list that the role does not open that it is the role", async () => {
    serve(served);
    await show(<OverviewPage />, { at: "/overview", session: { permissions: ["overview:read"] as never } });
    const heading = await screen.findByRole("heading", { name: "The recommended way" });
    const train = within(heading.closest("section") as HTMLElement).getAllByRole("listitem")[2];
    expect(train?.textContent).toContain("Your role has no page for it.");
    expect(within(train as HTMLElement).queryByRole("link")).toBeNull();
  });

  test("leads to the lists that the manual names", () => {
    expect(WAY.map(({ place }) => place)).toEqual([
      "code_development",
      "data_management/dataset_management",
      "model_training/training_list",
      "model_management/my_models",
      "inference_service/central_inference",
    ]);
    expect(CHARTS.map(({ name }) => name)).toEqual(["code", "train", "evaluate", "infer"]);
  });
});

describe("the charts", () => {
  test("say count and percentage per state, of the kinds that have a list", async () => {
    const asked = serve(served);
    await show(<OverviewPage />, { at: "/overview", session: { permissions: USER } });
    expect(await rows("Model training")).toEqual([
      "Queued00 %",
      "Running250 %",
      "Finished00 %",
      "Failed125 %",
      "Stopped125 %",
    ]);
    expect((await chart("Model training")).textContent).toContain("4 in all");
    for (const name of ["Code development", "Model evaluation", "Inference service"])
      expect(screen.queryByRole("region", { name })).toBeNull();
    const url = new URL(asked.find((request) => request.url.includes("task-counts"))?.url ?? "");
    expect(url.search).toBe("");
    const running = within(await chart("Model training")).getByRole("link", { name: /Running/ });
    expect(running.getAttribute("href")).toContain("/training?state=");
    expect(within(await chart("Model training")).getAllByRole("link")).toHaveLength(5);
  });

  test("are of everybody's tasks for who may see them, and of one virtual cluster", async () => {
    const asked = serve(served);
    const { router } = await show(<OverviewPage />, { at: "/overview", session: { permissions: ADMIN } });
    await chart("Model training");
    await userEvent.click(screen.getByText("Everybody's"));
    await waitFor(() => expect(router.state.location.search).toEqual({ owner: "all" }));
    await userEvent.click(await screen.findByText("vision"));
    await waitFor(() =>
      expect(asked.some(({ url }) => url.includes("task-counts?owner=all&virtual_cluster=vision"))).toBe(true),
    );
    const running = within(await chart("Model training")).getByRole("link", { name: /Running/ });
    expect(running.getAttribute("href")).toContain("owner=all");
    expect(running.getAttribute("href")).toContain("virtual_cluster=vision");
    await userEvent.click(screen.getByText("Mine"));
    await userEvent.click(screen.getByText("All virtual clusters"));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  test("offer nobody's tasks but own ones to who may not see others'", async () => {
    serve(served);
    await show(<OverviewPage />, { at: "/overview", session: { permissions: USER } });
    await chart("Model training");
    expect(screen.queryByText("Everybody's")).toBeNull();
    expect(await screen.findByText("vision")).toBeDefined(); // of two virtual clusters one is in use
  });

  test("tell why they are not there, while the rest of the page is", async () => {
    serve({ ...served, "GET /api/v1/task-counts": () => problem(503, "database_unavailable") });
    await show(<OverviewPage />, { at: "/overview", session: { permissions: USER } });
    expect((await screen.findByRole("alert")).textContent).toContain("The database does not answer");
    expect(screen.getByRole("heading", { name: "Recent tasks" })).toBeDefined();
  });

  test("are read again by the interval that the person has set, and with the overview when a task changes", () => {
    expect(countsQuery({}).refetchInterval).toBe(refreshMs);
    expect(countsQuery({}).queryKey[0]).toBe(overviewQuery.queryKey[0]);
  });
});
