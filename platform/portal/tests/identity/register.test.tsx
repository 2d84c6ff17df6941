// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { Preferences } from "@/appearance/preferences";
import { RegisterPage } from "@/identity/register-page";
import { problem, serve, show } from "../support/portal";

const about = (registration: boolean) => ({
  "GET /api/v1/about": () => ({ product: "Atoll", version: "1", cluster: "lab", engine: "local", registration }),
});
const register = () => userEvent.click(screen.getByRole("button", { name: "Register" }));
const posts = (asked: Request[]) => asked.filter((request) => request.method === "POST");

async function fill(fields: Record<string, string>) {
  for (const [label, text] of Object.entries(fields)) await userEvent.type(await screen.findByLabelText(label), text);
}

const GOOD = {
  "User name": "ada",
  Nickname: "Ada",
  Password: "correct horse battery",
  "Password again": "correct horse battery",
};

const page = (
  <Preferences>
    <RegisterPage />
  </Preferences>
);

describe("the registration page", () => {
  test("asks the server for an account and leads to the sign-in page, which tells of it", async () => {
    const asked = serve({ ...about(true), "POST /api/v1/registrations": () => ({ name: "ada" }) });
    const { router } = await show(page, { at: "/register" });
    await fill(GOOD);
    await register();
    await waitFor(() => expect(router.state.location.pathname).toBe("/sign-in"));
    expect(router.state.location.search).toEqual({ registered: "ada" });
    expect(await posts(asked)[0]?.json()).toEqual({ name: "ada", nickname: "Ada", password: "correct horse battery" });
  });

  test("says its rules and sends nothing that breaks them", async () => {
    const asked = serve(about(true));
    await show(page, { at: "/register" });
    await fill({ ...GOOD, "User name": "Ada Lovelace", Password: "short", "Password again": "other" });
    await register();
    expect(await screen.findByText("The two do not match.")).toBeDefined();
    expect((await screen.findAllByText("At least 10 characters.")).length).toBe(1);
    expect(screen.getByLabelText("User name").getAttribute("aria-invalid")).toBe("true");
    expect(posts(asked)).toEqual([]);
  });

  test("tells what the server refuses at its field, and keeps what was typed", async () => {
    const taken = { field: "name", code: "string_too_long", message: "", params: { max_length: 9 } };
    serve({
      ...about(true),
      "POST /api/v1/registrations": () => problem(409, "name_taken", { errors: [taken] as Schemas["FieldError"][] }),
    });
    await show(page, { at: "/register" });
    await fill(GOOD);
    await register();
    const item = screen.getByLabelText("User name").closest(".ant-form-item");
    await waitFor(() => expect(item?.textContent).toContain("At most 9 characters."));
    expect(document.activeElement).toBe(screen.getByLabelText("User name"));
    expect((screen.getByLabelText("Nickname") as HTMLInputElement).value).toBe("Ada");
  });

  test("tells a refusal of the whole above the fields", async () => {
    serve({
      ...about(true),
      "POST /api/v1/registrations": () => problem(429, "too_many_attempts", { params: { minutes: 15 } }),
    });
    await show(page, { at: "/register" });
    await fill(GOOD);
    await register();
    expect((await screen.findByRole("alert")).textContent).toMatch(/15/);
  });

  test("says that registration is closed where it is, and has no form", async () => {
    serve(about(false));
    await show(page, { at: "/register" });
    expect(await screen.findByText(/Registration is closed here/)).toBeDefined();
    expect(screen.queryByLabelText("User name")).toBeNull();
    expect(screen.getByRole("link", { name: "Back to sign-in" })).toBeDefined();
  });
});
