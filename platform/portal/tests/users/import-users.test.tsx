// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Schemas } from "@/api/client";
import { type Imported, type ImportLine, MOST_BYTES, passwordFile } from "@/users/import-file";
import { ImportUsersPage } from "@/users/import-page";
import { problem, serve, show } from "../support/portal";

const MANAGER = { permissions: ["users:read", "users:manage"] as never };

function line(number: number, name: string, more: Partial<ImportLine> = {}): ImportLine {
  return {
    line: number,
    state: "new",
    name,
    nickname: `Miss ${name}`,
    phone: "",
    email: "",
    roles: ["User"],
    groups: [],
    virtual_clusters: [],
    errors: [],
    ...more,
  };
}

function told(more: Partial<Imported> = {}): Imported {
  const lines = more.lines ?? [line(2, "ada"), line(3, "eve")];
  return {
    dry_run: true,
    encoding: "utf-8",
    new: lines.filter(({ state }) => state === "new").length,
    existing: lines.filter(({ state }) => state === "existing").length,
    mistakes: lines.flatMap(({ errors }) => errors).length,
    lines,
    errors: [],
    passwords: [],
    ...more,
  };
}

const mistake = (field: string, code: string, params: object = {}) =>
  ({ field, code, message: `${code}.`, params }) as unknown as Schemas["FieldError"];
const MADE = told({ dry_run: false, lines: [], new: 2, passwords: [{ name: "ada", password: "abcde-fghjk" }] });
const isDry = (request: Request) => new URL(request.url).searchParams.get("dry_run") === "true";
const answering = (look: unknown, make: unknown = MADE) => ({
  "POST /api/v1/users/import": (request: Request) => (isDry(request) ? look : make),
});
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
const step = () => screen.getByRole("list", { name: "Steps" }).querySelector("[aria-current]")?.textContent;
const csv = (text = "User name,Nickname,Roles\nada,Ada,User\n") => new File([text], "new.csv", { type: "text/csv" });

async function open() {
  const view = await show(<ImportUsersPage />, { at: "/users/import", session: MANAGER });
  await screen.findByLabelText("File with users");
  return view;
}

async function choose(file = csv()) {
  await userEvent.upload(screen.getByLabelText("File with users"), file);
  await press("Next");
}

afterEach(() => vi.restoreAllMocks());

describe("the import of users", () => {
  test("needs a file, and one that is not too large, before anything is sent", async () => {
    const asked = serve(answering(told()));
    await open();
    await press("Next");
    expect(await screen.findByText("Choose a file.")).toBeDefined();
    await choose(csv("x".repeat(MOST_BYTES + 1)));
    expect(await screen.findByText(/^At most 1 MiB/)).toBeDefined();
    expect(step()).toContain("File");
    expect(asked).toEqual([]);
  });

  test("sends the bytes as they are, to look at them, and shows what each line would make", async () => {
    const asked = serve(
      answering(told({ encoding: "gb18030", lines: [line(2, "ada", { roles: ["User", "Watch"] })] })),
    );
    await open();
    await userEvent.click(screen.getByLabelText(/^Leave out users/));
    await choose();
    await waitFor(() => expect(step()).toContain("What it says"));
    const [request] = asked;
    expect(Object.fromEntries(new URL(request?.url ?? "").searchParams)).toEqual({
      dry_run: "true",
      skip_existing: "true",
    });
    expect(request?.headers.get("content-type")).toBe("text/csv");
    expect(await request?.text()).toBe("User name,Nickname,Roles\nada,Ada,User\n");
    expect(screen.getByText(/New: 1. There already: 0. Mistakes: 0.\s+Read as GB18030./)).toBeDefined();
    const row = screen.getByText("Miss ada").closest("tr") as HTMLElement;
    expect(within(row).getByText("User; Watch")).toBeDefined();
    expect(within(row).getByText("New")).toBeDefined();
  });

  test("tells what is wrong with the file as a whole at the file, with its line", async () => {
    const errors = [mistake("3", "broken_line"), mistake("", "file_without_lines")];
    serve(answering(told({ lines: [], errors, mistakes: 2 })));
    await open();
    await choose();
    const said = "Line 3: This line cannot be read: look at its quotation marks. There is no user in the file.";
    expect(await screen.findByText(said)).toBeDefined();
    expect(step()).toContain("File");
  });

  test("tells each mistake at its cell, shows those lines alone at first, and leads no further", async () => {
    const wrong = line(3, "eve", {
      state: "wrong",
      errors: [
        mistake("roles", "no_such_role", { role: "x" }),
        mistake("", "too_many_cells", { found: 9, columns: 7 }),
      ],
    });
    const asked = serve(answering(told({ lines: [line(2, "ada"), wrong] })));
    await open();
    await choose();
    const row = (await screen.findByText("Miss eve")).closest("tr") as HTMLElement;
    const cells = within(row).getAllByRole("cell");
    expect(cells[5]?.textContent).toContain("There is no role `x`.");
    expect(cells[8]?.textContent).toContain("This line has 9 cells, the first one 7.");
    expect(screen.queryByText("Miss ada")).toBeNull();
    await userEvent.click(screen.getByLabelText("Show the lines without mistakes, too"));
    expect(screen.getByText("Miss ada")).toBeDefined();
    await press("Next");
    expect(await screen.findByText("Mend 2 mistakes in the file, then go back and choose it again.")).toBeDefined();
    expect(step()).toContain("What it says");
    expect(asked).toHaveLength(1);
  });

  test("leads no further where nobody is new", async () => {
    serve(answering(told({ lines: [line(2, "ada", { state: "existing" })] })));
    await open();
    await choose();
    expect(await screen.findByText("There already", { selector: ".tag" })).toBeDefined();
    await press("Next");
    expect(await screen.findByText("There is nobody new in this file.")).toBeDefined();
  });

  test("looks at the file anew when another one is chosen", async () => {
    const asked = serve(answering(told()));
    await open();
    await choose();
    await waitFor(() => expect(step()).toContain("What it says"));
    await press("Back");
    await choose(csv("User name,Nickname,Roles\nbob,Bob,User\n"));
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(await asked[1]?.text()).toContain("bob");
  });

  test("makes them once it is confirmed, and hands out the passwords before the page is left", async () => {
    const asked = serve(answering(told()));
    const saved: [string, string][] = [];
    vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:it");
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      saved.push([this.getAttribute("href") ?? "", this.download]);
    });
    const { router } = await open();
    await choose();
    await waitFor(() => expect(step()).toContain("What it says"));
    await press("Next");
    expect(await screen.findByText("2 accounts will be made.")).toBeDefined();
    expect(asked.filter((request) => !isDry(request))).toEqual([]);
    await press("Make 2 users");
    const download = await screen.findByRole("button", { name: "Download the passwords" });
    await waitFor(() => expect(document.activeElement).toBe(download));
    expect(asked.filter((request) => !isDry(request))).toHaveLength(1);
    expect(document.body.textContent).not.toContain("abcde-fghjk");
    const leave = () => screen.getByRole<HTMLButtonElement>("button", { name: "To the users" });
    expect(leave().disabled).toBe(true);
    await userEvent.click(download);
    expect(saved).toEqual([["blob:it", `passwords-${new Date().toISOString().slice(0, 10)}.csv`]]);
    await userEvent.click(leave());
    await waitFor(() => expect(router.state.location.pathname).toBe("/users"));
  });

  test("asks before the passwords are lost", async () => {
    serve(answering(told()));
    const { router } = await open();
    await choose();
    await waitFor(() => expect(step()).toContain("What it says"));
    await press("Next");
    await screen.findByText("2 accounts will be made.");
    await press("Make 2 users");
    await screen.findByRole("button", { name: "Download the passwords" });
    router.navigate({ to: "/users" } as never);
    const dialog = await screen.findByRole("dialog");
    expect(within(dialog).getByText("Leave without the passwords?")).toBeDefined();
    await userEvent.click(within(dialog).getByRole("button", { name: "Stay" }));
    expect(router.state.location.pathname).toBe("/users/import");
  });

  test("tells a refusal in the last moment and loses nothing", async () => {
    serve(answering(told(), problem(409, "changed_meanwhile")));
    await open();
    await choose();
    await waitFor(() => expect(step()).toContain("What it says"));
    await press("Next");
    await screen.findByText("2 accounts will be made.");
    await press("Make 2 users");
    expect(await screen.findByText("The users were not imported")).toBeDefined();
    expect(screen.getByText("2 accounts will be made.")).toBeDefined();
  });

  test("tells a refusal of the look at the file", async () => {
    serve(answering(problem(403, "not_allowed", { params: { permission: "users:manage" } })));
    await open();
    await choose();
    expect(await screen.findByText(/You may not do this/)).toBeDefined();
    expect(step()).toContain("File");
  });

  test("is not for who may only look", async () => {
    serve({});
    await show(<ImportUsersPage />, { at: "/users/import", session: { permissions: ["users:read"] as never } });
    expect(await screen.findByText("You may not see this")).toBeDefined();
  });
});

test("the file of passwords is read by spreadsheet programs", async () => {
  const bytes = new Uint8Array(await passwordFile(MADE, ["用户名", "初始密码"]).arrayBuffer());
  expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(new TextDecoder().decode(bytes)).toBe("用户名,初始密码\r\nada,abcde-fghjk\r\n");
});
