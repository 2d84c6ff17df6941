// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test } from "vitest";
import { onRefresh, refreshMs, setRefresh } from "@/api/refresh";
import { Preferences } from "@/appearance/preferences";
import { recallRefresh } from "@/identity/settings";
import { SettingsPage } from "@/settings/settings-page";
import { problem, serve, show } from "../support/portal";
import { cluster } from "../virtual-clusters/support";

const SESSION = { permissions: ["virtual_clusters:read", "settings:read", "settings:write"] as never };
const SETTINGS = { virtual_cluster: { id: "v1", name: "vision" }, refresh_seconds: 15, version: 1 };
const served = {
  "GET /api/v1/settings": () => SETTINGS,
  "GET /api/v1/virtual-clusters": () => ({
    items: [cluster(), cluster({ id: "v2", name: "speech", max_hours: null })],
    next_cursor: null,
  }),
};
const page = (
  <Preferences>
    <SettingsPage />
  </Preferences>
);

afterEach(() => setRefresh(15));

describe("settings", () => {
  test("show the virtual cluster in use among those of the account, and switch to another", async () => {
    const asked = serve({
      ...served,
      "PUT /api/v1/settings": () => ({ ...SETTINGS, virtual_cluster: { id: "v2", name: "speech" } }),
    });
    await show(page, { at: "/settings", session: SESSION });
    const [vision, speech] = (await screen.findAllByRole("radio", { name: /vision|speech/ })) as HTMLInputElement[];
    expect(vision?.checked).toBe(true);
    expect(vision?.closest("label")?.textContent).toContain("in use");
    expect(vision?.closest("label")?.textContent).toContain("48 hours at most");
    expect(speech?.closest("label")?.textContent).toContain("as long as they need");
    await userEvent.click(speech as HTMLElement);
    await waitFor(() => expect(speech?.closest("label")?.textContent).toContain("in use"));
    expect(vision?.closest("label")?.textContent).not.toContain("in use");
    expect(await asked.find(({ method }) => method === "PUT")?.json()).toEqual({ virtual_cluster: "v2" });
  });

  test("say that there is no virtual cluster, and whom to ask", async () => {
    serve({ ...served, "GET /api/v1/virtual-clusters": () => ({ items: [], next_cursor: null }) });
    await show(page, { at: "/settings", session: SESSION });
    expect(await screen.findByText(/An administrator can add you/)).toBeDefined();
  });

  test("take an interval within the server's bounds, by which the portal looks again from then on", async () => {
    const asked = serve({ ...served, "PUT /api/v1/settings": () => ({ ...SETTINGS, refresh_seconds: 60 }) });
    await show(page, { at: "/settings", session: SESSION });
    const field = await screen.findByLabelText("Interval in seconds");
    const save = screen.getByRole("button", { name: "Save" });
    for (const wrong of ["4", "3601"]) {
      await userEvent.clear(field);
      await userEvent.type(field, wrong);
      expect(await screen.findByText("A whole number from 5 to 3600.")).toBeDefined();
      await userEvent.click(save);
    }
    await userEvent.clear(field);
    await userEvent.click(save);
    expect(await screen.findByText("This is needed.")).toBeDefined();
    expect(asked.some(({ method }) => method === "PUT")).toBe(false);
    await userEvent.type(field, "60");
    await userEvent.click(save);
    expect(await screen.findByText("Pages look again every 60 seconds.")).toBeDefined();
    expect(await asked.find(({ method }) => method === "PUT")?.json()).toEqual({ refresh_seconds: 60 });
    expect(refreshMs()).toBe(60_000);
    setRefresh(15);
    recallRefresh(); // the next time the portal is opened
    expect(refreshMs()).toBe(60_000);
    // What waited by the old interval is asked for once more.
    await waitFor(() => expect(asked.filter(({ url }) => url.includes("virtual-clusters")).length).toBe(2));
  });

  test("tell why the interval was not saved, and keep it", async () => {
    serve({ ...served, "PUT /api/v1/settings": () => problem(503, "database_unavailable") });
    await show(page, { at: "/settings", session: SESSION });
    const field = (await screen.findByLabelText("Interval in seconds")) as HTMLInputElement;
    await userEvent.clear(field);
    await userEvent.type(field, "60");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect((await screen.findByRole("alert")).textContent).toContain("The database does not answer");
    expect(field.value).toBe("60");
    expect(refreshMs()).toBe(15_000);
  });
});

test("an interval that is the same tells nobody, another one everybody who listens", () => {
  let told = 0;
  const stop = onRefresh(() => {
    told += 1;
  });
  setRefresh(15);
  expect(told).toBe(0);
  setRefresh(30);
  expect(told).toBe(1);
  expect(refreshMs()).toBe(30_000);
  stop();
  setRefresh(45);
  expect(told).toBe(1);
});

test.each(["4", "3601", "often", ""])("an interval that nobody could have set (%s) is not recalled", (kept) => {
  localStorage.setItem("atoll.refresh_seconds", kept);
  recallRefresh();
  expect(refreshMs()).toBe(15_000);
});
