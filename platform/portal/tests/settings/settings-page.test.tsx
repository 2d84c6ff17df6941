// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test } from "vitest";
import { onRefresh, refreshMs, setRefresh } from "@/api/refresh";
import { Preferences } from "@/appearance/preferences";
import { chooseAppearance, storedAppearance } from "@/appearance/theme";
import { browserZone, onTimeZone, setTimeZone, timeZone } from "@/formats/zone";
import { recallSettings } from "@/identity/settings";
import { SettingsPage } from "@/settings/settings-page";
import { problem, serve, show } from "../support/portal";
import { cluster } from "../virtual-clusters/support";

const SESSION = { permissions: ["virtual_clusters:read", "settings:read", "settings:write"] as never };
const SETTINGS = {
  virtual_cluster: { id: "v1", name: "vision" },
  refresh_seconds: 15,
  language: null,
  appearance: null,
  time_zone: null,
  privileged_jobs: false,
  privileged_jobs_refused: null,
  version: 1,
};
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

afterEach(() => {
  setRefresh(15);
  setTimeZone(null);
  chooseAppearance("system");
  localStorage.clear();
});

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

  test("name no virtual cluster as the one in use before they know which it is", async () => {
    let answer = () => {};
    const later = new Promise<object>((resolve) => {
      answer = () => resolve({ ...SETTINGS, virtual_cluster: { id: "v2", name: "speech" } });
    });
    const asked = serve({ ...served, "GET /api/v1/settings": () => later });
    await show(page, { at: "/settings", session: SESSION });
    await waitFor(() => expect(asked.some(({ url }) => url.includes("virtual-clusters"))).toBe(true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(screen.queryByText("in use")).toBeNull();
    answer();
    const speech = (await screen.findByRole("radio", { name: /speech/ })) as HTMLInputElement;
    expect(speech.checked).toBe(true);
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
    recallSettings(); // the next time the portal is opened
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
  recallSettings();
  expect(refreshMs()).toBe(15_000);
});

describe("how somebody sees the portal", () => {
  const kept = (asked: Request[]) => asked.filter(({ method }) => method === "PUT");

  test("is shown at once and kept with the account", async () => {
    const asked = serve({ ...served, "PUT /api/v1/settings": () => ({ ...SETTINGS, appearance: "dark" }) });
    await show(page, { at: "/settings", session: SESSION });
    await userEvent.click(await screen.findByText("Dark"));
    expect(storedAppearance()).toBe("dark");
    await waitFor(() => expect(kept(asked)).toHaveLength(1));
    expect(await kept(asked)[0]?.json()).toEqual({ appearance: "dark" });
  });

  test("is taken back, and told, when the server refuses", async () => {
    serve({ ...served, "PUT /api/v1/settings": () => problem(503, "database_unavailable") });
    await show(page, { at: "/settings", session: SESSION });
    await userEvent.click(await screen.findByText("Dark"));
    expect((await screen.findByRole("alert")).textContent).toContain("Your choice was not kept");
    expect(storedAppearance()).toBe("system");
  });

  test("is this browser's alone for who may keep no settings", async () => {
    const asked = serve(served);
    await show(page, { at: "/settings", session: { permissions: ["settings:read"] as never } });
    await userEvent.click(await screen.findByText("Dark"));
    expect(storedAppearance()).toBe("dark");
    expect(kept(asked)).toHaveLength(0);
  });

  test("comes with the account to another browser; what it leaves open stays as it is there", async () => {
    serve({ ...served, "GET /api/v1/settings": () => ({ ...SETTINGS, appearance: "dark", time_zone: "Asia/Tokyo" }) });
    const { unmount } = await show(page, { at: "/settings", session: SESSION });
    await waitFor(() => expect(storedAppearance()).toBe("dark"));
    expect(timeZone()).toBe("Asia/Tokyo");
    setTimeZone(null);
    recallSettings(); // the next time the portal is opened
    expect(timeZone()).toBe("Asia/Tokyo");
    unmount();
    serve(served);
    await show(page, { at: "/settings", session: SESSION });
    await waitFor(() => expect(timeZone()).toBeUndefined());
    expect(storedAppearance()).toBe("dark");
    recallSettings();
    expect(timeZone()).toBeUndefined();
  });

  test("has a time zone by which times are shown, and a way back to the browser's", async () => {
    let zone: string | null = null;
    const asked = serve({
      ...served,
      "GET /api/v1/settings": () => ({ ...SETTINGS, time_zone: zone }),
      "PUT /api/v1/settings": async (request) => {
        zone = ((await request.json()) as { time_zone: string | null }).time_zone;
        return { ...SETTINGS, time_zone: zone };
      },
    });
    await show(page, { at: "/settings", session: SESSION });
    const field = await screen.findByRole("combobox", { name: "Time zone" });
    expect(await screen.findByText(`As this browser: ${browserZone()}`)).toBeDefined();
    await userEvent.click(field);
    await userEvent.paste("Port-au");
    await userEvent.click((await screen.findAllByText("America/Port-au-Prince")).at(-1) as HTMLElement);
    await waitFor(() => expect(timeZone()).toBe("America/Port-au-Prince"));
    expect(await kept(asked)[0]?.json()).toEqual({ time_zone: "America/Port-au-Prince" });
    expect((await screen.findByText(/It is now/)).textContent).toMatch(/E[SD]T|GMT-[45]/);
    await userEvent.click(field);
    await userEvent.paste("As this");
    await userEvent.click((await screen.findAllByText(/As this browser/)).at(-1) as HTMLElement);
    await waitFor(() => expect(timeZone()).toBeUndefined());
    expect(await kept(asked)[1]?.json()).toEqual({ time_zone: null });
  });
});

test("a time zone that this browser does not know leaves times in the browser's; the same one tells nobody", () => {
  let told = 0;
  const stop = onTimeZone(() => {
    told += 1;
  });
  setTimeZone("Mars/Olympus");
  expect([timeZone(), told]).toEqual([undefined, 0]);
  setTimeZone("Asia/Tokyo");
  setTimeZone("Asia/Tokyo");
  expect([timeZone(), told]).toEqual(["Asia/Tokyo", 1]);
  stop();
  setTimeZone(null);
  expect(told).toBe(1);
});

describe("privileged jobs", () => {
  test("are switched on and off", async () => {
    let on = false;
    const asked = serve({
      ...served,
      "GET /api/v1/settings": () => ({ ...SETTINGS, privileged_jobs: on }),
      "PUT /api/v1/settings": async (request) => {
        on = ((await request.json()) as { privileged_jobs: boolean }).privileged_jobs;
        return { ...SETTINGS, privileged_jobs: on };
      },
    });
    await show(page, { at: "/settings", session: SESSION });
    const turn = await screen.findByRole("switch", { name: "Privilege Job" });
    expect(turn.getAttribute("aria-checked")).toBe("false");
    expect(screen.getByText("Off: forms do not offer it")).toBeDefined();
    await userEvent.click(turn);
    await waitFor(() => expect(turn.getAttribute("aria-checked")).toBe("true"));
    await userEvent.click(turn);
    await waitFor(() => expect(turn.getAttribute("aria-checked")).toBe("false"));
    const sent = asked.filter(({ method }) => method === "PUT");
    expect(await Promise.all(sent.map((request) => request.json()))).toEqual([
      { privileged_jobs: true },
      { privileged_jobs: false },
    ]);
  });

  test.each([
    ["installation", /This installation lets no job/],
    ["permission", /Your roles do not include it/],
    ["virtual_clusters", /None of your virtual clusters/],
  ])("cannot be switched on without the %s, which is told; off is off at any time", async (why, words) => {
    serve({ ...served, "GET /api/v1/settings": () => ({ ...SETTINGS, privileged_jobs_refused: why }) });
    const { unmount } = await show(page, { at: "/settings", session: SESSION });
    const turn = (await screen.findByRole("switch", { name: "Privilege Job" })) as HTMLButtonElement;
    expect(turn.disabled).toBe(true);
    expect(screen.getByText(words)).toBeDefined();
    unmount();
    serve({
      ...served,
      "GET /api/v1/settings": () => ({ ...SETTINGS, privileged_jobs: true, privileged_jobs_refused: why }),
    });
    await show(page, { at: "/settings", session: SESSION });
    expect(((await screen.findByRole("switch", { name: "Privilege Job" })) as HTMLButtonElement).disabled).toBe(false);
  });

  test("that the server refuses stay off, with its words", async () => {
    serve({
      ...served,
      "PUT /api/v1/settings": () =>
        problem(422, "invalid_request", {
          errors: [{ field: "privileged_jobs", code: "privileged_nowhere", message: "", params: {} }] as never,
        }),
    });
    await show(page, { at: "/settings", session: SESSION });
    const turn = await screen.findByRole("switch", { name: "Privilege Job" });
    await userEvent.click(turn);
    expect(await screen.findByRole("alert")).toBeDefined();
    expect(turn.getAttribute("aria-checked")).toBe("false");
  });
});
