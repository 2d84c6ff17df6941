// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test, vi } from "vitest";
import { AccountPage } from "@/account/account-page";
import type { Schemas } from "@/api/client";
import { begun } from "@/identity/ways";
import { problem, serve, show } from "../support/portal";

const AGO = new Date(Date.now() - 3_600_000).toISOString();
const LATER = new Date(Date.now() + 30 * 86_400_000).toISOString();

const session = (id: string, more: Partial<Schemas["OwnSession"]> = {}): Schemas["OwnSession"] => ({
  id,
  device: `Browser ${id}`,
  address: "192.0.2.1",
  created_at: AGO,
  last_seen_at: AGO,
  expires_at: LATER,
  current: false,
  ...more,
});

const token = (id: string, more: Partial<Schemas["AccessToken"]> = {}): Schemas["AccessToken"] => ({
  id,
  name: `program ${id}`,
  grants: ["platform"],
  read_only: false,
  created_at: AGO,
  expires_at: LATER,
  last_used_at: null,
  last_used_address: "",
  ...more,
});

const OPTIONS = {
  kinds: [
    { name: "platform", permissions: ["tasks:read", "tasks:create"] },
    { name: "annotation", permissions: ["tasks:read"] },
  ],
  permissions: ["tasks:create", "tasks:read"],
  most_days: 365,
  most: 50,
};

const proofs = (more: Partial<Schemas["Proofs"]>): Schemas["Proofs"] => ({
  fresh: false,
  links: false,
  minutes: 15,
  password: true,
  ways: [],
  ...more,
});

const page = (items: unknown[]) => ({ items, next_cursor: null });
const served = {
  "GET /api/v1/sessions": () =>
    page([session("old"), session("this", { current: true }), session("no", { device: "" })]),
  "GET /api/v1/access-tokens": () => page([token("a"), token("b", { read_only: true, expires_at: AGO })]),
  "GET /api/v1/access-tokens/options": () => OPTIONS,
  "GET /api/v1/session/proof": () => proofs({ fresh: true }),
};
const gone = () => new Response(null, { status: 204 });

const rowOf = async (text: string) => (await screen.findByText(text)).closest("tr") as HTMLElement;

describe("the sessions of an account", () => {
  test("begin with the one at the screen, which is marked and signs out", async () => {
    serve(served);
    await show(<AccountPage />);
    const here = await rowOf("Browser this");
    expect(within(here).getByText("This one")).toBeDefined();
    expect(within(here).getByRole("button", { name: "Sign out" })).toBeDefined();
    const rows = within(here.closest("tbody") as HTMLElement).getAllByRole("row");
    expect(rows[0]).toBe(here);
    expect(screen.getByText("Unknown device")).toBeDefined();
    expect(screen.getAllByText("This one")).toHaveLength(1);
  });

  test("are ended one by one", async () => {
    const asked = serve({ ...served, "DELETE /api/v1/sessions/old": gone });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "End the session of Browser old" }));
    expect(await screen.findByText("The session of Browser old was ended.")).toBeDefined();
    expect(asked.filter(({ method }) => method === "DELETE").map(({ url }) => new URL(url).pathname)).toEqual([
      "/api/v1/sessions/old",
    ]);
    await waitFor(() => expect(asked.filter(({ url }) => url.includes("/sessions?")).length).toBe(2));
  });

  test("are ended all but this one, which is asked first", async () => {
    const asked = serve({ ...served, "POST /api/v1/sessions/end-others": () => ({ ended: 2 }) });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "End all others" }));
    const question = await screen.findByRole("dialog");
    expect(asked.some(({ method }) => method === "POST")).toBe(false);
    await userEvent.click(within(question).getByRole("button", { name: "End all others" }));
    expect(await screen.findByText("You are signed in here only.")).toBeDefined();
    expect(asked.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  test("offer nothing to end where there is none but this one", async () => {
    serve({ ...served, "GET /api/v1/sessions": () => page([session("this", { current: true })]) });
    await show(<AccountPage />);
    await rowOf("Browser this");
    expect(screen.queryByRole("button", { name: "End all others" })).toBeNull();
  });

  test("stay, with the reason, when one cannot be ended", async () => {
    serve({ ...served, "DELETE /api/v1/sessions/old": () => problem(503, "database_unavailable") });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "End the session of Browser old" }));
    expect(await screen.findByText("The session of Browser old was not ended")).toBeDefined();
    expect(screen.getByText("Browser old")).toBeDefined();
  });
});

describe("the access tokens of an account", () => {
  test("say what they open, until when, and whether they were used", async () => {
    serve({
      ...served,
      "GET /api/v1/access-tokens": () =>
        page([
          token("a", { last_used_at: AGO, last_used_address: "192.0.2.9" }),
          token("b", { grants: ["tasks:read", "files:read"], read_only: true }),
          token("c", { grants: ["tasks:read", "tasks:stop", "nodes:read", "users:read"], expires_at: AGO }),
        ]),
    });
    await show(<AccountPage />);
    const [a, b, c] = [await rowOf("program a"), await rowOf("program b"), await rowOf("program c")];
    expect(a.textContent).toContain("AI platform");
    expect(a.textContent).toContain("192.0.2.9");
    expect(a.textContent).not.toContain("Reads only");
    expect(b.textContent).toContain("See own tasks, logs and charts, Read own files");
    expect(b.textContent).toContain("Reads only");
    expect(b.textContent).toContain("Never");
    expect(b.textContent).not.toContain("Over");
    expect(c.textContent).toContain("4 permissions");
    expect(c.textContent).toContain("Over");
  });

  test("are none at first, and it is said what they are for", async () => {
    serve({ ...served, "GET /api/v1/access-tokens": () => page([]) });
    await show(<AccountPage />);
    expect(await screen.findByText("No access token yet")).toBeDefined();
    expect(screen.getByRole("button", { name: "New token" })).toBeDefined();
  });

  test("are made for all that one may do, reading only and for a month, unless it is said otherwise", async () => {
    const made = { ...token("n", { name: "nightly" }), token: "atoll_the-token-itself" };
    const asked = serve({ ...served, "POST /api/v1/access-tokens": () => Response.json(made, { status: 201 }) });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "New token" }));
    await userEvent.type(await screen.findByLabelText("Token name"), "nightly");
    await userEvent.click(screen.getByRole("button", { name: "Make token" }));
    expect(await screen.findByText("atoll_the-token-itself")).toBeDefined();
    const sent = asked.find(({ method }) => method === "POST");
    expect(await sent?.json()).toEqual({ name: "nightly", grants: ["platform"], read_only: true, days: 30 });
    const shown = screen.getByRole("dialog", { name: /nightly/ });
    await userEvent.keyboard("{Escape}");
    expect(screen.getByText("atoll_the-token-itself")).toBeDefined();
    await userEvent.click(within(shown).getByRole("button", { name: "I have copied it" }));
    await waitFor(() => expect(screen.queryByText("atoll_the-token-itself")).toBeNull());
    await waitFor(() => expect(asked.filter(({ url }) => url.includes("/access-tokens?")).length).toBe(2));
  });

  test("are made for a part of it", async () => {
    const made = { ...token("n"), token: "atoll_x" };
    const asked = serve({ ...served, "POST /api/v1/access-tokens": () => Response.json(made, { status: 201 }) });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "New token" }));
    await userEvent.type(await screen.findByLabelText("Token name"), "part");
    await userEvent.click(screen.getByRole("radio", { name: "Only some of it" }));
    await userEvent.click(screen.getByRole("button", { name: "Make token" }));
    expect(await screen.findByText("Choose at least one.")).toBeDefined();
    const start = screen.getByRole("checkbox", { name: /Start tasks/ });
    await userEvent.click(start);
    await userEvent.click(start);
    await userEvent.click(screen.getByRole("checkbox", { name: /See own tasks/ }));
    await userEvent.click(screen.getByText("Reads and changes"));
    await userEvent.click(screen.getByText("90 days"));
    await userEvent.click(screen.getByRole("button", { name: "Make token" }));
    expect(await screen.findByText("atoll_x")).toBeDefined();
    const sent = asked.find(({ method }) => method === "POST");
    expect(await sent?.json()).toEqual({ name: "part", grants: ["tasks:read"], read_only: false, days: 90 });
  });

  test("are made by who shows first that it is they, where that is some time ago", async () => {
    const wrong = { field: "password", code: "wrong_password", message: "", params: {} };
    let tries = 0;
    const asked = serve({
      ...served,
      "GET /api/v1/session/proof": () => proofs({}),
      "POST /api/v1/session/proof": () => {
        tries += 1;
        return tries === 1 ? problem(422, "wrong_password", { errors: [wrong] as never }) : gone();
      },
    });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "New token" }));
    await userEvent.type(await screen.findByLabelText("Current password"), "correct horse");
    expect(screen.queryByLabelText("Token name")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Go on" }));
    expect(await screen.findByText("This is not the present password.")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Go on" }));
    expect(await screen.findByLabelText("Token name")).toBeDefined();
    expect(await asked.find(({ method }) => method === "POST")?.json()).toEqual({ password: "correct horse" });
  });

  test("are made by who signs in again at a provider, where the account has no password", async () => {
    const assign = vi.spyOn(window.location, "assign").mockImplementation(() => undefined);
    serve({
      ...served,
      "GET /api/v1/session/proof": () => proofs({ password: false, ways: ["microsoft"] }),
      "POST /api/v1/session/ways/microsoft/prove": () => ({ address: "https://login.example.com/", state: "one" }),
    });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "New token" }));
    await userEvent.click(await screen.findByRole("button", { name: "Sign in again by Microsoft" }));
    await waitFor(() => expect(assign).toHaveBeenCalledWith("https://login.example.com/"));
    expect(screen.queryByLabelText("Current password")).toBeNull();
    expect(begun()).toEqual({ state: "one", next: "/account", linking: false, again: true });
    assign.mockRestore();
  });

  test("are not made by who has nothing to show, who is told so", async () => {
    serve({ ...served, "GET /api/v1/session/proof": () => proofs({ password: false }) });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "New token" }));
    expect(await screen.findByText(/your account has nothing that shows it/)).toBeDefined();
    expect(screen.queryByRole("button", { name: /Sign in again|Go on/ })).toBeNull();
  });

  test("keep what was filled in where that took too long, and it is shown again who sits there", async () => {
    let tries = 0;
    const made = { ...token("n", { name: "nightly" }), token: "atoll_the-token-itself" };
    serve({
      ...served,
      "POST /api/v1/session/proof": gone,
      "POST /api/v1/access-tokens": () => {
        tries += 1;
        return tries === 1 ? problem(403, "sign_in_again", { params: { minutes: 15 } }) : Response.json(made);
      },
    });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "New token" }));
    await userEvent.type(await screen.findByLabelText("Token name"), "nightly");
    await userEvent.click(screen.getByRole("button", { name: "Make token" }));
    await userEvent.type(await screen.findByLabelText("Current password"), "correct horse");
    await userEvent.click(screen.getByRole("button", { name: "Go on" }));
    await waitFor(() => expect(screen.queryByLabelText("Current password")).toBeNull());
    await userEvent.click(screen.getByRole("button", { name: "Make token" }));
    expect(await screen.findByText("atoll_the-token-itself")).toBeDefined();
  });

  test("are not made without a name, and a refusal is told in the form", async () => {
    const asked = serve({
      ...served,
      "POST /api/v1/access-tokens": () => problem(409, "too_many_access_tokens", { params: { limit: 50 } }),
    });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "New token" }));
    await screen.findByLabelText("Token name");
    await userEvent.click(screen.getByRole("button", { name: "Make token" }));
    expect(await screen.findByText("This is needed.")).toBeDefined();
    expect(asked.some(({ method }) => method === "POST")).toBe(false);
    await userEvent.type(screen.getByLabelText("Token name"), "one more");
    await userEvent.click(screen.getByRole("button", { name: "Make token" }));
    expect((await screen.findByRole("alert")).textContent).toContain("You have too many access tokens");
    expect((screen.getByLabelText("Token name") as HTMLInputElement).value).toBe("one more");
  });

  test("are ended, which is asked first", async () => {
    const asked = serve({ ...served, "DELETE /api/v1/access-tokens/a": gone });
    await show(<AccountPage />);
    await userEvent.click(await screen.findByRole("button", { name: "End the token program a" }));
    const question = await screen.findByRole("dialog");
    expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
    await userEvent.click(within(question).getByRole("button", { name: "End" }));
    expect(await screen.findByText("The token program a was ended.")).toBeDefined();
  });
});
