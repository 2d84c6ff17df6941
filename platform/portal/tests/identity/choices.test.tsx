// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { useChoose } from "@/identity/choices";
import { useSettings } from "@/identity/settings";
import { addWords, preferredLanguage, startLanguage, switchLanguage } from "@/words/language";
import { serve, show } from "../support/portal";

const SETTINGS = { virtual_cluster: null, refresh_seconds: 15, appearance: null, time_zone: null, version: 1 };
const SESSION = { permissions: ["settings:read", "settings:write"] as never };

function Chooser() {
  const settings = useSettings();
  const choose = useChoose();
  return (
    <button type="button" onClick={() => choose({ language: "en" })}>
      English, now {settings.data?.language ?? "unknown"}
    </button>
  );
}

beforeEach(async () => {
  addWords("names", { en: async () => ({ default: {} }), "zh-CN": async () => ({ default: {} }) });
  localStorage.setItem("atoll.language", "zh-CN");
  await startLanguage();
});

test("of two languages the one chosen last holds, also when its words are there first", async () => {
  vi.doMock("antd/es/locale/en_US", async (original) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return original();
  });
  await Promise.all([switchLanguage("en"), switchLanguage("zh-CN")]);
  expect([preferredLanguage(), document.documentElement.lang]).toEqual(["zh-CN", "zh-CN"]);
});

test("a language that is chosen is not replaced by an answer that was asked for before", async () => {
  let answer = () => {};
  const before = new Promise<object>((resolve) => {
    answer = () => resolve({ ...SETTINGS, language: "zh-CN" });
  });
  const asked = serve({
    "GET /api/v1/settings": () => before,
    "PUT /api/v1/settings": () => ({ ...SETTINGS, language: "en" }),
  });
  await show(<Chooser />, { session: SESSION });
  await waitFor(() => expect(asked.map(({ method }) => method)).toEqual(["GET"]));
  await userEvent.click(screen.getByRole("button"));
  await screen.findByText("English, now en");
  await waitFor(() => expect(document.documentElement.lang).toBe("en"));
  answer();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(preferredLanguage()).toBe("en");
  expect(document.documentElement.lang).toBe("en");
  expect(screen.getByText("English, now en")).toBeDefined();
});
