// @vitest-environment happy-dom
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AuditPage } from "@/audit/audit-page";
import type { AuditRecord } from "@/audit/query";
import { setTimeZone } from "@/formats/zone";
import { problem, serve, show } from "../support/portal";

const AUDITOR = { permissions: ["audit:read"] as never };
const ADMINISTRATOR = { permissions: ["audit:read", "users:read"] as never };

function record(id: string, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id,
    at: "2026-03-04T12:00:00Z",
    actor: { id: "u1", name: "ada", nickname: "Miss Ada" },
    actor_name: "ada",
    action: "user.create",
    object_kind: "user",
    object_id: "u2",
    object_name: "bob",
    outcome: "done",
    address: "198.51.100.7",
    request_id: "request-1",
    details: {},
    ...more,
  };
}

const listed = (...items: AuditRecord[]) => ({ "GET /api/v1/audit": () => ({ items, next_cursor: null }) });
const lists = (asked: Request[]) => asked.filter(({ url }) => new URL(url).pathname === "/api/v1/audit");
const query = (request: Request | undefined) => Object.fromEntries(new URL(request?.url ?? "").searchParams);
const row = async (name: string) => (await screen.findByText(name)).closest("tr") as HTMLElement;

afterEach(() => {
  vi.restoreAllMocks();
  setTimeZone(null);
});

describe("the audit", () => {
  test("says in words what was done, and leads to what it was done to", async () => {
    serve(listed(record("1"), record("2", { action: "task.frozen", object_kind: "task", object_name: "model" })));
    await show(<AuditPage />, { at: "/audit", session: ADMINISTRATOR });
    const first = await row("bob");
    expect(within(first).getByText("Make an account")).toBeDefined();
    expect(within(first).getByText("Accounts")).toBeDefined();
    expect(within(first).getByText("Done")).toBeDefined();
    expect(within(first).getByRole("link", { name: "bob" }).getAttribute("href")).toBe("/users/u2");
    expect(within(first).getByRole("link", { name: "ada" }).getAttribute("href")).toBe("/users/u1");
    expect(within(await row("model")).getByText("task.frozen")).toBeDefined();
  });

  test("tells times in the zone that the reader has chosen, at once when it is another", async () => {
    setTimeZone("Asia/Tokyo");
    serve(listed(record("1", { at: "2026-03-04T20:30:00Z" })));
    await show(<AuditPage />, { at: "/audit", session: AUDITOR });
    const at = (await row("bob")).querySelector("time");
    expect(at?.textContent).toMatch(/Mar 5, 2026.*5:30:00.AM/);
    act(() => setTimeZone("America/Port-au-Prince"));
    expect(at?.textContent).toMatch(/Mar 4, 2026.*3:30:00.PM/);
  });

  test("leads nowhere where the reader may not go, or where nothing is left", async () => {
    serve(listed(record("1"), record("2", { action: "user.delete", object_name: "eve" })));
    const { unmount } = await show(<AuditPage />, { at: "/audit", session: AUDITOR });
    expect(within(await row("bob")).queryAllByRole("link")).toEqual([]);
    unmount();
    serve(listed(record("2", { action: "user.delete", object_name: "eve" })));
    await show(<AuditPage />, { at: "/audit", session: ADMINISTRATOR });
    expect(within(await row("eve")).queryByRole("link", { name: "eve" })).toBeNull();
  });

  test("tells what was refused, how often, and by whom where that is known", async () => {
    const details = { route: "POST /users", times: 7 };
    const failed = { actor: null, actor_name: "", action: "session.create", object_kind: "session", object_name: "" };
    serve(
      listed(
        record("1", { outcome: "denied", action: "request.denied", object_kind: "request", details }),
        record("2", { outcome: "failed", ...failed }),
      ),
    );
    await show(<AuditPage />, { at: "/audit", session: AUDITOR });
    const refused = await row("bob");
    expect(within(refused).getByText("Refused")).toBeDefined();
    expect(within(refused).getByText("7 times")).toBeDefined();
    expect(within(await row("No known name")).getByText("Failed")).toBeDefined();
  });

  test("asks the server for what the address says", async () => {
    const asked = serve(listed(record("1")));
    const at = "/audit?actor=ada&action=user&object=bob&outcome=denied&address=198.51.100.7&last=hour";
    await show(<AuditPage />, { at, session: AUDITOR });
    await row("bob");
    const { since, ...others } = query(lists(asked)[0]);
    expect(others).toEqual({
      actor: "ada",
      action: "user",
      object: "bob",
      outcome: "denied",
      address: "198.51.100.7",
      limit: "100",
    });
    expect(Date.now() - new Date(since ?? "").getTime()).toBeLessThan(3_700_000);
  });

  test("keeps filters in the address, and takes them all away", async () => {
    const asked = serve({ "GET /api/v1/audit": () => ({ items: [], next_cursor: null }) });
    const { router } = await show(<AuditPage />, { at: "/audit", session: AUDITOR });
    expect(await screen.findByText("Nothing was recorded yet")).toBeDefined();
    await userEvent.click(screen.getByText("Refused"));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ outcome: "denied" }));
    await userEvent.type(screen.getByLabelText("Object: its name or id"), "mod");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ outcome: "denied", object: "mod" }));
    await waitFor(() => expect(query(lists(asked).at(-1))).toMatchObject({ object: "mod", outcome: "denied" }));
    await userEvent.click(await screen.findByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(Object.values(router.state.location.search)).toEqual([]));
  });

  test("finds an action by its words, or all of a kind", async () => {
    serve(listed(record("1")));
    const { router } = await show(<AuditPage />, { at: "/audit", session: AUDITOR });
    await row("bob");
    const box = screen.getByRole("combobox", { name: "All actions" });
    await userEvent.click(box);
    await userEvent.type(box, "reset");
    await userEvent.click(await screen.findByTitle("Reset a password"));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ action: "user.reset_password" }));
  });

  test("has a time from when until when, typed in the browser's own fields", async () => {
    const asked = serve(listed(record("1")));
    const since = new Date(2026, 2, 1, 8).toISOString();
    const { router } = await show(<AuditPage />, { at: `/audit?since=${since}`, session: AUDITOR });
    await row("bob");
    expect((screen.getByLabelText("From") as HTMLInputElement).value).toBe("2026-03-01T08:00");
    expect(query(lists(asked)[0])).toMatchObject({ since });
    await userEvent.type(screen.getByLabelText("Until"), "2026-03-02T09:30");
    await waitFor(() =>
      expect(router.state.location.search).toMatchObject({ since, until: new Date(2026, 2, 2, 9, 30).toISOString() }),
    );
  });

  test("is not for who may not read it", async () => {
    const asked = serve({});
    await show(<AuditPage />, { at: "/audit", session: { permissions: ["users:read"] as never } });
    expect(await screen.findByText("You may not see this")).toBeDefined();
    expect(asked).toEqual([]);
  });
});

describe("one record", () => {
  const details = { roles: ["User", "Watch"], devices: { gpu: 2 }, unheard_of: 3, truncated: true };

  test("shows all that was told, and leads to what has something in common with it", async () => {
    serve(listed(record("1", { details })));
    const { router } = await show(<AuditPage />, { at: "/audit", session: AUDITOR });
    await userEvent.click(within(await row("bob")).getByRole("button", { name: "Details: Make an account bob" }));
    const dialog = await screen.findByRole("dialog");
    await within(dialog).findByText("Make an account");
    expect(router.state.location.search).toMatchObject({ record: "1" });
    for (const text of ["User, Watch", '{"gpu":2}', "unheard_of", "request-1", "user.create", "198.51.100.7"]) {
      expect(within(dialog).getByText(text)).toBeDefined();
    }
    expect(within(dialog).getByText("More was told than a record keeps.")).toBeDefined();
    await userEvent.click(within(dialog).getByRole("button", { name: "All that was done to it" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ object: "u2" }));
  });

  test("is read by itself where the list does not have it", async () => {
    serve({ ...listed(record("1")), "GET /api/v1/audit/9": () => record("9", { object_name: "carol" }) });
    await show(<AuditPage />, { at: "/audit?record=9", session: AUDITOR });
    const dialog = await screen.findByRole("dialog");
    await within(dialog).findByText("Make an account");
    expect(within(dialog).getByText("carol")).toBeDefined();
    expect(within(dialog).getByText("Nothing beside the action.")).toBeDefined();
  });

  test("that is forgotten is told so", async () => {
    serve({ ...listed(record("1")), "GET /api/v1/audit/9": () => problem(404, "no_such_record") });
    await show(<AuditPage />, { at: "/audit?record=9", session: AUDITOR });
    expect(await screen.findByText("This record does not exist")).toBeDefined();
  });
});

describe("the export", () => {
  test("takes what the filters select, as a file with a day in its name", async () => {
    const csv = new Response("\ufefftable", { headers: { "content-type": "text/csv" } });
    const asked = serve({ ...listed(record("1")), "POST /api/v1/audit/export": () => csv });
    const saved: [string, string][] = [];
    vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:it");
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      saved.push([this.getAttribute("href") ?? "", this.download]);
    });
    await show(<AuditPage />, { at: "/audit?actor=ada", session: AUDITOR });
    await userEvent.click(await screen.findByRole("button", { name: "Export CSV" }));
    expect(await screen.findByText("The file is among your downloads.")).toBeDefined();
    expect(saved).toEqual([["blob:it", `audit-${new Date().toISOString().slice(0, 10)}.csv`]]);
    expect(query(asked.find(({ method }) => method === "POST"))).toEqual({ actor: "ada" });
  });

  test("that would be too large says so, and what to do", async () => {
    const refused = () => problem(422, "too_many_records", { params: { limit: 100_000 } });
    serve({ ...listed(record("1")), "POST /api/v1/audit/export": refused });
    await show(<AuditPage />, { at: "/audit", session: AUDITOR });
    await userEvent.click(await screen.findByRole("button", { name: "Export CSV" }));
    expect(await screen.findByText("The records were not exported")).toBeDefined();
    expect(screen.getByText("The filters select more than 100000 records.")).toBeDefined();
    expect(screen.getByText("Choose a shorter time, and export one after the other.")).toBeDefined();
  });
});
