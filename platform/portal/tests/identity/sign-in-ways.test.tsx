// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { WayButtons } from "@/identity/way-buttons";
import { begun } from "@/identity/ways";
import { problem, serve, show } from "../support/portal";

afterEach(() => {
  vi.restoreAllMocks();
  sessionStorage.clear();
});

test("a button leads to its provider, and keeps where the person wanted to go", async () => {
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => undefined);
  serve({ "POST /api/v1/session/ways/wechat/start": () => ({ address: "https://open.example.com/", state: "one" }) });
  await show(<WayButtons ways={["microsoft", "wechat"]} next="/training" onProblem={() => undefined} />);
  await userEvent.click(screen.getByRole("button", { name: "Sign in by WeChat" }));
  await waitFor(() => expect(assign).toHaveBeenCalledWith("https://open.example.com/"));
  expect(begun()).toEqual({ state: "one", next: "/training", linking: false });
});

test("a provider that cannot be reached is told, and the button is there again", async () => {
  const told: (string | undefined)[] = [];
  serve({ "POST /api/v1/session/ways/microsoft/start": () => problem(503, "provider_unreachable") });
  await show(<WayButtons ways={["microsoft"]} onProblem={(found) => told.push(found?.code)} />);
  await userEvent.click(screen.getByRole("button", { name: "Sign in by Microsoft" }));
  await waitFor(() => expect(told).toEqual([undefined, "provider_unreachable"]));
  expect(screen.getByRole("button", { name: "Sign in by Microsoft" }).hasAttribute("disabled")).toBe(false);
});
