// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, test } from "vitest";
import { Preferences } from "@/appearance/preferences";
import { NoAccessPage } from "@/identity/no-access-page";
import { noteSignedIn, type Session } from "@/identity/session";
import { problem, serve, show } from "../support/portal";

const NEW = {
  user: { id: "1", name: "ada", nickname: "Ada", roles: [] },
  virtual_clusters: [],
  must_change_password: false,
  permissions: [],
  device_types: [],
} as unknown as Session;

const READY = {
  ...NEW,
  permissions: ["overview:read", "tasks:read"],
  virtual_clusters: [{ id: "1", name: "default" }],
} as Session;

const ABOUT = { product: "Atoll", version: "1", cluster: "lab", engine: "local", registration: true };

beforeEach(() => noteSignedIn(true));

const page = (
  <Preferences>
    <NoAccessPage />
  </Preferences>
);

describe("who has no rights yet", () => {
  test("is told what is missing, whom to ask, and under which name", async () => {
    serve({ "GET /api/v1/session": () => NEW, "GET /api/v1/about": () => ABOUT });
    await show(page, { at: "/no-access" });
    expect(
      await screen.findByRole("heading", { name: "Sorry, you are not authorised to access this page" }),
    ).toBeDefined();
    expect(screen.getByText("None of your roles and groups gives you rights yet.")).toBeDefined();
    expect(screen.getByText("You are not a member of a virtual cluster yet.")).toBeDefined();
    expect(await screen.findByText(/Ask an administrator of the cluster lab .* your user name: ada\./)).toBeDefined();
  });

  test("is told of the virtual cluster alone once there is a role", async () => {
    serve({
      "GET /api/v1/session": () => ({ ...READY, virtual_clusters: [] }),
      "GET /api/v1/about": () => ABOUT,
    });
    await show(page, { at: "/no-access" });
    expect(await screen.findByText("You are not a member of a virtual cluster yet.")).toBeDefined();
    expect(screen.getByText("You have rights by a role.")).toBeDefined();
  });

  test("looks again, is told that nothing has changed, and is led on once it has", async () => {
    let session = NEW;
    serve({ "GET /api/v1/session": () => session, "GET /api/v1/about": () => ABOUT });
    const { router } = await show(page, { at: "/no-access?next=%2Ftraining" });
    await userEvent.click(await screen.findByRole("button", { name: "Look again" }));
    expect(await screen.findByText(/nothing has changed yet/)).toBeDefined();
    expect(router.state.location.pathname).toBe("/no-access");
    session = READY;
    await userEvent.click(screen.getByRole("button", { name: "Look again" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/training"));
  });

  test("is told why looking again did not work, and may try once more", async () => {
    let asked = 0;
    serve({
      "GET /api/v1/session": () => {
        asked += 1;
        return asked === 1 ? NEW : problem(503, "database_unavailable");
      },
      "GET /api/v1/about": () => ABOUT,
    });
    await show(page, { at: "/no-access" });
    await userEvent.click(await screen.findByRole("button", { name: "Look again" }));
    expect((await screen.findByRole("alert")).textContent).toContain("The database does not answer");
    expect(screen.getByRole("button", { name: "Look again" }).hasAttribute("disabled")).toBe(false);
  });

  test("signs out from there", async () => {
    const asked = serve({
      "GET /api/v1/session": () => NEW,
      "GET /api/v1/about": () => ABOUT,
      "DELETE /api/v1/session": () => new Response(null, { status: 204 }),
    });
    const { router } = await show(page, { at: "/no-access" });
    await userEvent.click(await screen.findByRole("button", { name: "Sign out" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/sign-in"));
    expect(asked.some((request) => request.method === "DELETE")).toBe(true);
  });
});
