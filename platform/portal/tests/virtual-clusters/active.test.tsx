// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test } from "vitest";
import { setRefresh } from "@/api/refresh";
import { pollMs } from "@/virtual-clusters/active";
import { ClusterPicker } from "@/virtual-clusters/cluster-picker";
import { problem, serve, show } from "../support/portal";
import { cluster } from "./support";

const SESSION = { permissions: ["virtual_clusters:read", "settings:read", "settings:write"] as never };
const ALL = [cluster(), cluster({ id: "v2", name: "speech" }), cluster({ id: "v3", name: "others", member: false })];
const used = (id: string, name: string) => ({ virtual_cluster: { id, name }, refresh_seconds: 15, version: 1 });
const listed = { "GET /api/v1/virtual-clusters": () => ({ items: ALL, next_cursor: null }) };

afterEach(() => setRefresh(15));

describe("the virtual cluster in use", () => {
  test("is the one that the server keeps", async () => {
    serve({ ...listed, "GET /api/v1/settings": () => used("v2", "speech") });
    await show(<ClusterPicker />, { session: SESSION });
    expect(await screen.findByText("speech")).toBeDefined();
  });

  test("is the first that is theirs where settings cannot be read", async () => {
    serve({ ...listed, "GET /api/v1/settings": () => problem(503, "database_unavailable") });
    await show(<ClusterPicker />, { session: SESSION });
    expect(await screen.findByText("vision")).toBeDefined();
  });

  test("is switched on the server, and only to those that are theirs", async () => {
    const asked = serve({
      ...listed,
      "GET /api/v1/settings": () => used("v1", "vision"),
      "PUT /api/v1/settings": () => used("v2", "speech"),
    });
    await show(<ClusterPicker />, { session: SESSION });
    await userEvent.click(await screen.findByRole("button", { name: /^Virtual cluster vision/ }));
    expect(await screen.findByRole("menuitem", { name: /^speech/ })).toBeDefined();
    expect(screen.queryByText("others")).toBeNull();
    await userEvent.click(screen.getByRole("menuitem", { name: /^speech/ }));
    await waitFor(() => expect(screen.getByRole("button", { name: /^Virtual cluster speech/ })).toBeDefined());
    const sent = asked.find(({ method }) => method === "PUT") as Request;
    expect(await sent.json()).toEqual({ virtual_cluster: "v2" });
  });

  test("stays what it was, and that is told, when the server refuses", async () => {
    serve({
      ...listed,
      "GET /api/v1/settings": () => used("v1", "vision"),
      "PUT /api/v1/settings": () => problem(503, "database_unavailable"),
    });
    await show(<ClusterPicker />, { session: SESSION });
    await userEvent.click(await screen.findByRole("button", { name: /^Virtual cluster vision/ }));
    await userEvent.click(await screen.findByRole("menuitem", { name: /^speech/ }));
    expect(await screen.findByText("speech is not in use")).toBeDefined();
    await waitFor(() => expect(screen.getByRole("button", { name: /^Virtual cluster vision/ })).toBeDefined());
  });

  test("is found among all pages of the list", async () => {
    serve({
      "GET /api/v1/virtual-clusters": (request) =>
        request.url.includes("cursor=more")
          ? { items: [cluster({ id: "v9", name: "last" })], next_cursor: null }
          : { items: ALL, next_cursor: "more" },
      "GET /api/v1/settings": () => used("v9", "last"),
    });
    await show(<ClusterPicker />, { session: SESSION });
    expect(await screen.findByText("last")).toBeDefined();
  });
});

describe("virtual clusters are looked at again", () => {
  test("as often as was set, and soon while one is being made or taken away", () => {
    setRefresh(60);
    expect(pollMs([])).toBe(60_000);
    expect(pollMs([cluster()])).toBe(60_000);
    expect(pollMs([cluster(), cluster({ standing: "deleting" })])).toBe(2_000);
    expect(pollMs([cluster({ standing: "preparing" })])).toBe(2_000);
  });
});
