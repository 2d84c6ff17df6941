// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Preferences } from "@/appearance/preferences";
import { arrival, takeArrival } from "@/identity/arrival";
import { WayPage } from "@/identity/way-page";
import { begun, leaveFor } from "@/identity/ways";
import { WaysPanel } from "@/identity/ways-panel";
import { problem, serve, show } from "../support/portal";

const ABOUT = { product: "Atoll", version: "1", cluster: "lab", engine: "local", registration: true };
const about = { "GET /api/v1/about": () => ({ ...ABOUT, ways_in: ["microsoft", "wechat"] }) };
const BACK = "POST /api/v1/session/ways/microsoft";
const page = (
  <Preferences>
    <WayPage />
  </Preferences>
);

let left: string[] = [];
beforeEach(() => {
  left = [];
  vi.spyOn(window.location, "assign").mockImplementation((address) => {
    left.push(String(address));
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
  window.history.replaceState(null, "", "/");
});

/** The browser stands where a provider sent it back to. */
function arrive(search: string, path = "/sign-in/by/microsoft") {
  window.history.replaceState(null, "", `${path}${search}`);
  takeArrival();
}

const begin = (state: string, more: { next?: string; linking?: boolean; again?: boolean } = {}) =>
  leaveFor({ address: "https://login.example.com/", state }, { linking: false, ...more });
const shown = () => show(page, { at: "/sign-in/by/microsoft" });
const posts = (asked: Request[]) => asked.filter((request) => request.method === "POST");

describe("with what a browser comes back", () => {
  test("is taken out of the address as it stands there, before the router reads numbers into it", () => {
    arrive("?code=0123&state=1e5&iss=https%3A%2F%2Flogin.example.com");
    expect(arrival()).toEqual({ state: "1e5", code: "0123", error: undefined, issuer: "https://login.example.com" });
    expect(window.location.search).toBe("");
    takeArrival(); // the page is loaded again
    expect(arrival()).toBeUndefined();
  });

  test("is looked for where providers send people back to, and nowhere else", () => {
    arrive("?code=a&state=b", "/sign-in");
    expect(arrival()).toBeUndefined();
    expect(window.location.search).toBe("?code=a&state=b");
  });
});

describe("what was begun", () => {
  test("is kept by this tab, and leads on to pages of this portal alone", () => {
    begin("one", { next: "/training?tab=log" });
    expect(left).toEqual(["https://login.example.com/"]);
    expect(begun()).toEqual({ state: "one", next: "/training?tab=log", linking: false });
    begin("two", { next: "//evil.example.com" });
    expect(begun()?.next).toBeUndefined();
    sessionStorage.setItem("atoll.way", "{");
    expect(begun()).toBeUndefined();
  });
});

describe("the page to which people come back", () => {
  test("signs in who is known, and leads to where they wanted to go", async () => {
    const session = { user: { id: "1", name: "ada" }, must_change_password: false, device_types: [], permissions: [] };
    const asked = serve({ ...about, [BACK]: () => ({ outcome: "signed_in", session, account: null }) });
    begin("one", { next: "/training" });
    arrive("?code=abc&state=one");
    const { router } = await shown();
    await waitFor(() => expect(router.state.location.pathname).toBe("/training"));
    expect(await posts(asked)[0]?.json()).toEqual({ code: "abc", state: "one" });
    expect(posts(asked)).toHaveLength(1);
    expect(begun()).toBeUndefined();
    expect(localStorage.getItem("atoll.signed_in")).toBe("yes");
  });

  test("leads to a new password first where one is due", async () => {
    const session = { user: { id: "1", name: "ada" }, must_change_password: true, device_types: [], permissions: [] };
    serve({ ...about, [BACK]: () => ({ outcome: "signed_in", session, account: null }) });
    begin("one");
    arrive("?code=abc&state=one");
    const { router } = await shown();
    await waitFor(() => expect(router.state.location.pathname).toBe("/password"));
  });

  test.each([
    ["nothing was begun in this tab", "", "?code=abc&state=one"],
    ["another one was", "two", "?code=abc&state=one"],
    ["nobody came back", "one", ""],
  ])("asks nothing of the server where %s", async (_, state, search) => {
    const asked = serve({ ...about, [BACK]: () => ({ outcome: "signed_in" }) });
    if (state) begin(state);
    arrive(search);
    await shown();
    expect(await screen.findByText(/was not begun in this window/)).toBeDefined();
    expect(posts(asked)).toEqual([]);
    expect(screen.getByRole("link", { name: "Back to sign-in" })).toBeDefined();
  });

  test("tells what the server refuses, and leads back", async () => {
    const refused = problem(503, "provider_unreachable", { params: { provider: "Microsoft" } });
    serve({ ...about, [BACK]: () => refused });
    begin("one");
    arrive("?code=abc&state=one");
    await shown();
    expect((await screen.findByRole("alert")).textContent).toContain("Microsoft cannot be reached from this platform");
    expect(screen.getByRole("link", { name: "Back to sign-in" })).toBeDefined();
  });

  test("has who is unknown make an account, with another name if that one is taken", async () => {
    const offered = { name: "ada", nickname: "Ada", label: "ada@example.com" };
    const session = {
      user: { id: "1", name: "ada-2" },
      must_change_password: false,
      device_types: [],
      permissions: [],
    };
    const taken = { field: "name", code: "name_taken", message: "", params: {} };
    let tries = 0;
    const asked = serve({
      ...about,
      [BACK]: () => ({ outcome: "unknown", session: null, account: offered }),
      [`${BACK}/account`]: () => {
        tries += 1;
        return tries === 1 ? problem(409, "name_taken", { errors: [taken] as never }) : session;
      },
    });
    begin("one");
    arrive("?code=abc&state=one");
    const { router } = await shown();
    expect(await screen.findByText("ada@example.com")).toBeDefined();
    const make = () => userEvent.click(screen.getByRole("button", { name: "Make account and sign in" }));
    await make();
    const item = screen.getByLabelText("User name").closest(".ant-form-item");
    await waitFor(() => expect(item?.textContent).toContain("This name is taken."));
    await userEvent.type(screen.getByLabelText("User name"), "-2");
    await make();
    await waitFor(() => expect(router.state.location.pathname).toBe("/"));
    expect(await posts(asked).at(-1)?.json()).toEqual({ name: "ada-2", nickname: "Ada" });
  });

  test("leads who signed in again back to what they wanted to do", async () => {
    const session = { user: { id: "1", name: "ada" }, must_change_password: false, device_types: [], permissions: [] };
    serve({ ...about, [BACK]: () => ({ outcome: "signed_in", session, account: null }) });
    begin("one", { next: "/account", again: true });
    arrive("?code=abc&state=one");
    const { router } = await shown();
    await waitFor(() => expect(router.state.location.pathname).toBe("/account"));
    expect(await screen.findByText(/You signed in again/)).toBeDefined();
  });

  test("leads who did not sign in again back to where they were, still signed in", async () => {
    serve({ ...about, [BACK]: () => problem(403, "provider_not_fresh", { params: { provider: "Microsoft" } }) });
    begin("one", { next: "/account", again: true });
    arrive("?code=abc&state=one");
    const { router } = await shown();
    expect((await screen.findByRole("alert")).textContent).toContain("did not say that you signed in there just now");
    await userEvent.click(screen.getByRole("button", { name: "Back" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/account"));
  });

  test("tells who linked that it is done, on their settings", async () => {
    serve({ ...about, [BACK]: () => ({ outcome: "linked", session: null, account: null }) });
    begin("one", { linking: true });
    arrive("?code=abc&state=one");
    const { router } = await shown();
    await waitFor(() => expect(router.state.location.pathname).toBe("/settings"));
    expect(await screen.findByText("Your account is linked with Microsoft.")).toBeDefined();
  });
});

describe("one's own ways", () => {
  const ways = (more = {}) => ({
    password: true,
    linkable: true,
    ways: [
      { way: "microsoft", offered: true, label: null, linked_at: null, used_at: null },
      { way: "wechat", offered: false, label: "阿达", linked_at: "2026-01-01T00:00:00Z", used_at: null },
    ],
    ...more,
  });
  const OWN = "GET /api/v1/session/ways";
  const proofs = (more = {}) => ({ fresh: true, links: false, minutes: 15, password: true, ways: [], ...more });
  const PROOFS = "GET /api/v1/session/proof";

  test("are linked by who knows the password", async () => {
    const wrong = { field: "password", code: "wrong_password", message: "", params: {} };
    let tries = 0;
    const asked = serve({
      [OWN]: () => ways(),
      [PROOFS]: () => proofs(),
      [`${BACK}/link`]: () => {
        tries += 1;
        if (tries === 1) return problem(422, "wrong_password", { errors: [wrong] as never });
        return { address: "https://login.example.com/", state: "one" };
      },
    });
    await show(<WaysPanel />);
    await userEvent.click(await screen.findByRole("button", { name: "Link" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.type(await within(dialog).findByLabelText("Current password"), "correct horse");
    const go = () => userEvent.click(within(dialog).getByRole("button", { name: "Go on to Microsoft" }));
    await go();
    expect(await within(dialog).findByText("This is not the present password.")).toBeDefined();
    expect(left).toEqual([]);
    await go();
    await waitFor(() => expect(left).toEqual(["https://login.example.com/"]));
    expect(begun()).toEqual({ state: "one", next: undefined, linking: true });
    expect(await posts(asked)[0]?.json()).toEqual({ password: "correct horse" });
  });

  test("are linked by who has just signed in anew, without the password", async () => {
    const asked = serve({
      [OWN]: () => ways({ password: false }),
      [PROOFS]: () => proofs({ links: true, password: false, ways: ["wechat"] }),
      [`${BACK}/link`]: () => ({ address: "https://login.example.com/", state: "one" }),
    });
    await show(<WaysPanel />);
    await userEvent.click(await screen.findByRole("button", { name: "Link" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(await within(dialog).findByRole("button", { name: "Go on to Microsoft" }));
    await waitFor(() => expect(left).toEqual(["https://login.example.com/"]));
    expect(within(dialog).queryByLabelText("Current password")).toBeNull();
    expect(await posts(asked)[0]?.json()).toEqual({});
  });

  test("end when that is confirmed, also those that are offered no more", async () => {
    const asked = serve({
      [OWN]: () => ways(),
      "DELETE /api/v1/session/ways/wechat": () => new Response(null, { status: 204 }),
    });
    await show(<WaysPanel />);
    expect((await screen.findByText("阿达", { exact: false })).textContent).toContain("Nobody signs in that way here");
    await userEvent.click(screen.getByRole("button", { name: "End link" }));
    const question = await screen.findByRole("dialog");
    await userEvent.click(within(question).getByRole("button", { name: "End link" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "DELETE")).toBe(true));
    expect(await screen.findByText("The link with WeChat has ended.")).toBeDefined();
  });

  test("are not linked where the account is the installation's", async () => {
    serve({ [OWN]: () => ways({ linkable: false, ways: [ways().ways[0]] }) });
    await show(<WaysPanel />);
    expect(await screen.findByText(/was made by the installation/)).toBeDefined();
    expect(screen.queryByRole("button", { name: "Link" })).toBeNull();
  });
});
