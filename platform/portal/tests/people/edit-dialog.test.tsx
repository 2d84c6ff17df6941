// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import type { Schemas } from "@/api/client";
import EditGroupDialog from "@/groups/edit-group-dialog";
import type { Group } from "@/people/queries";
import { problem, serve, show } from "../support/portal";

const GROUP: Group = {
  id: "g1",
  name: "vision",
  description: "People who see",
  created_at: "2026-01-01T00:00:00Z",
  version: 3,
  roles: [{ id: "user", name: "User" }],
  user_count: 2,
  virtual_clusters: [],
};

const change = (asked: Request[]) => asked.filter((request) => request.method === "PATCH");
const field = (label: string) => screen.getByLabelText(label) as HTMLInputElement;
const save = () => userEvent.click(screen.getByRole("button", { name: "Save" }));

async function open(permissions: string[] = []) {
  const onClose = vi.fn();
  const view = await show(<EditGroupDialog group={GROUP} onClose={onClose} />, {
    session: { permissions: permissions as never },
  });
  await screen.findByRole("dialog");
  return { ...view, onClose };
}

async function retype(label: string, text: string) {
  await userEvent.clear(field(label));
  await userEvent.type(field(label), text);
}

describe("an edit", () => {
  test("is of what was looked at, and closes when it is done", async () => {
    const asked = serve({ "PATCH /api/v1/groups/g1": () => ({ ...GROUP, version: 4 }) });
    const { onClose } = await open();
    await retype("Description", "People who look");
    await save();
    await waitFor(() => expect(onClose).toHaveBeenCalledWith(true));
    expect(change(asked)[0]?.headers.get("if-match")).toBe('"3"');
    expect(await change(asked)[0]?.json()).toEqual({ name: "vision", description: "People who look" });
  });

  test("behind somebody else's says so and by whom, loads anew, and loses nothing that was typed", async () => {
    const stored = { ...GROUP, version: 8, name: "sight", description: "Theirs" };
    const asked = serve({
      "PATCH /api/v1/groups/g1": (request) =>
        request.headers.get("if-match") === '"8"' ? { ...stored, version: 9 } : problem(412, "changed_meanwhile"),
      "GET /api/v1/groups/g1": () => stored,
      "GET /api/v1/audit": (request) => {
        const wanted = new URL(request.url).searchParams;
        const items = [
          { object_id: "g2", actor_name: "nobody", outcome: "done" },
          { object_id: "g1", actor_name: "mallory", outcome: "denied" },
          { object_id: "g1", actor_name: "grace", outcome: "done" },
          { object_id: "g1", actor_name: "earlier", outcome: "done" },
        ].filter((each) => each.object_id === wanted.get("object") && each.outcome === wanted.get("outcome"));
        return { items: items.slice(0, Number(wanted.get("limit"))), next_cursor: null };
      },
    });
    const { onClose } = await open(["audit:read"]);
    await retype("Description", "Mine");
    await save();
    const told = await screen.findByRole("alert");
    expect(told.textContent).toContain("vision was changed since you opened this");
    await waitFor(() => expect(told.textContent).toContain("The last change is by grace."));
    expect(field("Description").value).toBe("Mine");
    expect(onClose).not.toHaveBeenCalled();

    await userEvent.click(within(told).getByRole("button", { name: "Load anew" }));
    expect((await screen.findByRole("status")).textContent).toContain("sight: Theirs");
    expect(field("Description").value).toBe("Mine"); // typed, so it stays
    expect(field("Group name").value).toBe("sight"); // not touched, so it is what is stored
    await save();
    await waitFor(() => expect(onClose).toHaveBeenCalledWith(true));
    expect(await change(asked)[1]?.json()).toEqual({ name: "sight", description: "Mine" });
  });

  test("says that it is behind also to who may not read the audit", async () => {
    const asked = serve({ "PATCH /api/v1/groups/g1": () => problem(412, "changed_meanwhile") });
    await open();
    await save();
    expect((await screen.findByRole("alert")).textContent).toContain("Your view is behind");
    expect(asked.some((request) => request.url.includes("/audit"))).toBe(false);
  });

  test("of what is gone says so where it was asked for", async () => {
    serve({ "PATCH /api/v1/groups/g1": () => problem(412, "changed_meanwhile") });
    await open();
    await save();
    await userEvent.click(await screen.findByRole("button", { name: "Load anew" }));
    await waitFor(() =>
      expect(screen.getAllByRole("alert").some((each) => each.textContent?.includes("not_found"))).toBe(true),
    );
    expect(field("Group name").value).toBe("vision");
  });

  test("that the server refuses is told at its field, or above them all", async () => {
    const errors = [
      { field: "name", code: "string_too_long", message: "", params: { max_length: 5 } },
    ] as unknown as Schemas["FieldError"][];
    let answer = () => problem(409, "name_taken", { errors });
    serve({ "PATCH /api/v1/groups/g1": () => answer() });
    const { onClose } = await open();
    await save();
    const item = field("Group name").closest(".ant-form-item");
    await waitFor(() => expect(item?.textContent).toContain("At most 5 characters."));
    expect(screen.queryByText("This name is taken")).toBeNull();
    answer = () => problem(403, "not_allowed");
    await save();
    expect((await screen.findByRole("dialog")).querySelector(".problem-note")?.textContent).toContain("not_allowed");
    expect(onClose).not.toHaveBeenCalled();
  });

  test("needs what the server needs, and sends nothing else", async () => {
    const asked = serve({});
    await open();
    await userEvent.clear(field("Group name"));
    await save();
    await waitFor(() => expect(field("Group name").getAttribute("aria-invalid")).toBe("true"));
    expect(change(asked)).toEqual([]);
  });
});
