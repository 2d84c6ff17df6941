// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { api, body } from "@/api/client";
import { useSetSession } from "@/identity/session";
import { useSignOut } from "@/identity/sign-out";
import { problem, serve, show } from "../support/portal";

function Leave() {
  const signOut = useSignOut();
  return (
    <button type="button" onClick={signOut}>
      leave
    </button>
  );
}

function Enter() {
  const setSession = useSetSession();
  return (
    <button type="button" onClick={() => setSession({ permissions: [], device_types: [] } as never)}>
      enter
    </button>
  );
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const looked = (asked: Request[]) =>
  asked.filter(({ method }) => method === "GET").map(({ url }) => new URL(url).pathname);
const look = (path: "/api/v1/overview" | "/api/v1/nodes") =>
  body(api.GET(path as "/api/v1/overview")).then(
    () => "answered",
    (error: Error) => error.name,
  );

test("whoever signs out asks nothing more, and nothing that was asked before is answered", async () => {
  const ended = gate();
  const asked = serve({
    "GET /api/v1/overview": () => new Promise(() => {}),
    "GET /api/v1/nodes": () => problem(401, "not_signed_in"),
    "DELETE /api/v1/session": async () => {
      await ended.opened;
      return new Response(null, { status: 204 });
    },
  });
  await show(<Leave />);
  const before = look("/api/v1/overview");
  await waitFor(() => expect(looked(asked)).toEqual(["/api/v1/overview"]));
  await userEvent.click(screen.getByRole("button", { name: "leave" }));
  expect(await before).not.toBe("answered");
  const meanwhile = look("/api/v1/nodes");
  ended.open();
  expect(await meanwhile).not.toBe("answered");
  expect(looked(asked)).toEqual(["/api/v1/overview"]);
});

test("whoever is not signed out since the server does not answer is asked for as before", async () => {
  const ended = gate();
  const asked = serve({
    "GET /api/v1/overview": () => ({}),
    "DELETE /api/v1/session": async () => {
      await ended.opened;
      return problem(503, "database_unavailable");
    },
  });
  await show(<Leave />);
  await userEvent.click(screen.getByRole("button", { name: "leave" }));
  const meanwhile = look("/api/v1/overview");
  ended.open();
  expect(await meanwhile).toBe("answered");
  expect(looked(asked)).toEqual(["/api/v1/overview"]);
  expect(await look("/api/v1/overview")).toBe("answered");
});

test("whoever gets no answer to the end of their session is told, and goes on", async () => {
  const patience = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(patience.signal);
  const asked = serve({
    "GET /api/v1/overview": () => ({}),
    "DELETE /api/v1/session": () => new Promise(() => {}),
  });
  await show(<Leave />);
  await userEvent.click(screen.getByRole("button", { name: "leave" }));
  const meanwhile = look("/api/v1/overview");
  await waitFor(() => expect(asked.length).toBe(1));
  patience.abort(new DOMException("over", "TimeoutError"));
  expect(await meanwhile).toBe("answered");
  expect((await screen.findByRole("alert")).textContent).toContain("still signed in");
});

test("whoever signs out of a session that has ended is signed out, and nothing of it is left", async () => {
  serve({ "DELETE /api/v1/session": () => problem(401, "not_signed_in") });
  const { queries, router } = await show(<Leave />);
  queries.setQueryData(["account", "tokens"], []);
  await userEvent.click(screen.getByRole("button", { name: "leave" }));
  await waitFor(() => expect(router.state.location.pathname).toBe("/sign-in"));
  await waitFor(() => expect(queries.getQueryData(["account", "tokens"])).toBeUndefined());
});

test("nothing that one person saw is there for the next one who signs in", async () => {
  serve({});
  const { queries } = await show(<Enter />);
  queries.setQueryData(["account", "tokens"], []);
  queries.setQueryData(["about"], {});
  await userEvent.click(screen.getByRole("button", { name: "enter" }));
  expect(queries.getQueryData(["account", "tokens"])).toBeUndefined();
  expect(queries.getQueryData(["about"])).toBeDefined();
});
