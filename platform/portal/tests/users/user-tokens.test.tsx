// @vitest-environment happy-dom
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import UserTokens from "@/users/user-tokens";
import { problem, serve, show } from "../support/portal";

const LIST = "GET /api/v1/users/u1/access-tokens";
const END = "DELETE /api/v1/users/u1/access-tokens/t1";
const LATER = new Date(Date.now() + 86_400_000).toISOString();
const token: Schemas["AccessToken"] = {
  id: "t1",
  name: "forgotten",
  grants: ["users:read"],
  read_only: true,
  created_at: LATER,
  expires_at: LATER,
  last_used_at: null,
  last_used_address: "",
};
const MANAGER = { permissions: ["users:read", "users:manage"] as never };

describe("the access tokens of another user", () => {
  test("are ended by who manages users, which is asked first", async () => {
    let items = [token];
    const asked = serve({
      [LIST]: () => ({ items, next_cursor: null }),
      [END]: () => {
        items = [];
        return new Response(null, { status: 204 });
      },
    });
    await show(<UserTokens id="u1" />, { session: MANAGER });
    await userEvent.click(await screen.findByRole("button", { name: "End the token forgotten" }));
    const question = await screen.findByRole("dialog");
    expect(asked.some(({ method }) => method === "DELETE")).toBe(false);
    await userEvent.click(within(question).getByRole("button", { name: "End" }));
    expect(await screen.findByText("The token forgotten was ended.")).toBeDefined();
    await waitFor(() => expect(screen.queryByText("Access tokens")).toBeNull());
  });

  test("stay with the reason where somebody holds more", async () => {
    serve({
      [LIST]: () => ({ items: [token], next_cursor: null }),
      [END]: () => problem(403, "more_than_you_hold", { params: { permissions: "nodes:read" } }),
    });
    await show(<UserTokens id="u1" />, { session: MANAGER });
    await userEvent.click(await screen.findByRole("button", { name: "End the token forgotten" }));
    await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "End" }));
    expect(await screen.findByText("The token forgotten was not ended")).toBeDefined();
    expect(screen.getByText(/You lack: nodes:read/)).toBeDefined();
    expect(screen.getByText("forgotten")).toBeDefined();
  });

  test("are seen and not ended by who may only see users", async () => {
    serve({ [LIST]: () => ({ items: [token], next_cursor: null }) });
    await show(<UserTokens id="u1" />, { session: { permissions: ["users:read"] as never } });
    const row = (await screen.findByText("forgotten")).closest("tr") as HTMLElement;
    expect(row.textContent).toContain("See users");
    expect(screen.queryByRole("button")).toBeNull();
  });
});
