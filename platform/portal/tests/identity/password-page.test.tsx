// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { Preferences } from "@/appearance/preferences";
import { PasswordPage } from "@/identity/password-page";
import { noteSignedIn } from "@/identity/session";
import { serve, show } from "../support/portal";

// The page has no route of its own here.
vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<typeof import("@tanstack/react-router")>()),
  useSearch: () => ({}),
}));

const SESSION = { user: { id: "1", name: "ada" }, must_change_password: false, device_types: [], permissions: [] };
const ABOUT = { product: "Atoll", version: "1", cluster: "lab", engine: "local", registration: true, ways_in: [] };
const way = (label: string | null) => ({ way: "microsoft", offered: true, label, linked_at: null, used_at: null });
const CHANGE = "POST /api/v1/session/password";

beforeEach(() => noteSignedIn(true));

/** The page of somebody whose account is linked so. */
async function shown(label: string | null, session = SESSION) {
  const asked = serve({
    "GET /api/v1/about": () => ABOUT,
    "GET /api/v1/session": () => session,
    "GET /api/v1/session/ways": () => ({ password: true, linkable: true, ways: [way(label)] }),
    [CHANGE]: () => SESSION,
  });
  await show(
    <Preferences>
      <PasswordPage />
    </Preferences>,
    { at: "/password" },
  );
  await screen.findByLabelText("Current password");
  return asked;
}

async function change() {
  await userEvent.type(screen.getByLabelText("Current password"), "the one of before");
  await userEvent.type(screen.getByLabelText("New password"), "correct horse");
  await userEvent.type(screen.getByLabelText("New password again"), "correct horse");
  await userEvent.click(screen.getByRole("button", { name: "Save password" }));
}

const sent = async (asked: Request[]) => {
  await waitFor(() => expect(asked.some(({ method }) => method === "POST")).toBe(true));
  return asked.find(({ method }) => method === "POST")?.json();
};
const PASSWORDS = { current_password: "the one of before", new_password: "correct horse" };

test("who changes the password ends the links where that is ticked, and access tokens by themselves", async () => {
  const asked = await shown("ada@example.com");
  await userEvent.click(await screen.findByRole("checkbox", { name: "End all my links with other providers, too" }));
  await change();
  expect(await sent(asked)).toEqual({ ...PASSWORDS, end_access_tokens: false, end_links: true });
});

test("who was given a password by somebody else ends the links unless they say otherwise", async () => {
  const asked = await shown("ada@example.com", { ...SESSION, must_change_password: true });
  const box = await screen.findByRole("checkbox", { name: "End all my links with other providers, too" });
  expect((box as HTMLInputElement).checked).toBe(true);
  await change();
  expect(await sent(asked)).toEqual({ ...PASSWORDS, end_access_tokens: false, end_links: true });
});

test("links are not spoken of where there are none", async () => {
  const asked = await shown(null);
  await waitFor(() => expect(asked.some(({ url }) => url.endsWith("/session/ways"))).toBe(true));
  expect(screen.queryByRole("checkbox", { name: /links/ })).toBeNull();
  await change();
  expect(await sent(asked)).toEqual({ ...PASSWORDS, end_access_tokens: false, end_links: false });
});
