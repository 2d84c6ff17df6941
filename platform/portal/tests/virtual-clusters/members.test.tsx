// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { Members } from "@/virtual-cluster-management/members";
import type { Member } from "@/virtual-cluster-management/queries";
import { problem, serve, show } from "../support/portal";
import { cluster } from "./support";

const SESSION = { permissions: ["virtual_clusters:manage", "users:read", "groups:read"] as never };

function member(name: string, otherwise: Partial<Member> = {}): Member {
  return {
    kind: "user",
    id: `id-${name}`,
    name,
    nickname: "",
    active: true,
    direct: true,
    groups: [],
    users: 1,
    unfinished_tasks: 0,
    ...otherwise,
  };
}

const listed = (...items: Member[]) => ({
  "GET /api/v1/virtual-clusters/v1/members": () => ({ items, next_cursor: null }),
});
const done = { users: 1, groups: 0, stopped_tasks: 0, members: 0, still_members: [], still_members_count: 0 };
const REMOVE = "POST /api/v1/virtual-clusters/v1/members/remove";

async function takeOut(name: string) {
  await userEvent.click(await screen.findByRole("button", { name: `Take ${name} out` }));
  return screen.findByRole("dialog");
}

const sent = (asked: Request[]) =>
  Promise.all(asked.filter(({ method }) => method === "POST").map((each) => each.json()));

describe("members of a virtual cluster", () => {
  test("are told with the way by which each is one; who is one by groups alone is not taken out here", async () => {
    serve(
      listed(
        member("ops", { kind: "group", users: 2 }),
        member("ada"),
        member("bob", { direct: false, groups: [{ id: "g1", name: "ops" }], unfinished_tasks: 3, active: false }),
      ),
    );
    await show(<Members cluster={cluster()} />, { session: SESSION });
    const rowOf = async (name: string) =>
      (await screen.findAllByRole("link", { name }))[0]?.closest("tr") as HTMLElement;
    expect((await rowOf("ops")).textContent).toContain("Group with 2 users");
    expect((await rowOf("ada")).textContent).toContain("Added by itself");
    const bob = await rowOf("bob");
    expect(bob.textContent).toContain("Through ops");
    expect(bob.textContent).toContain("Disabled");
    expect(bob.textContent).toContain("3");
    expect(within(bob).queryByRole("button")).toBeNull();
  });

  test("are taken out after a question", async () => {
    const asked = serve({ ...listed(member("ada")), [REMOVE]: () => done });
    await show(<Members cluster={cluster()} />, { session: SESSION });
    const dialog = await takeOut("ada");
    expect(within(dialog).queryByRole("checkbox")).toBeNull();
    await userEvent.click(within(dialog).getByRole("button", { name: "Take out" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(await sent(asked)).toEqual([{ users: ["id-ada"], groups: [], stop_tasks: false }]);
  });

  test("with tasks are taken out only with these, which is asked", async () => {
    const asked = serve({ ...listed(member("ada", { unfinished_tasks: 2 })), [REMOVE]: () => done });
    await show(<Members cluster={cluster()} />, { session: SESSION });
    const dialog = await takeOut("ada");
    expect(dialog.textContent).toContain("2 tasks of who would leave");
    await userEvent.click(within(dialog).getByRole("button", { name: "Take out" }));
    expect(await within(dialog).findByText(/Have them stopped/)).toBeDefined();
    expect(await sent(asked)).toEqual([]);
    await userEvent.click(within(dialog).getByRole("checkbox"));
    await userEvent.click(within(dialog).getByRole("button", { name: "Take out" }));
    await waitFor(async () => expect(await sent(asked)).toEqual([{ users: ["id-ada"], groups: [], stop_tasks: true }]));
  });

  test("of a group have tasks that the server tells of, and who stays in another way is named", async () => {
    serve({
      ...listed(member("ops", { kind: "group", users: 2 })),
      [REMOVE]: async (request) =>
        ((await request.json()) as { stop_tasks: boolean }).stop_tasks
          ? { ...done, groups: 1, still_members: [member("bob")], still_members_count: 1 }
          : problem(409, "members_have_tasks", { params: { tasks: 4, name: "vision" } }),
    });
    await show(<Members cluster={cluster()} />, { session: SESSION });
    const dialog = await takeOut("ops");
    await userEvent.click(within(dialog).getByRole("button", { name: "Take out" }));
    expect(await within(dialog).findByText("4 tasks of who would leave wait or run here.")).toBeDefined();
    await userEvent.click(within(dialog).getByRole("checkbox"));
    await userEvent.click(within(dialog).getByRole("button", { name: "Take out" }));
    expect(await screen.findByText("1 user stays a member of vision in another way")).toBeDefined();
    expect(screen.getByText("bob")).toBeDefined();
  });
});
