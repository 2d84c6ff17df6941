// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { useEffect } from "react";
import { expect, test } from "vitest";
import { useFeedback } from "@/elements/feedback";
import { show } from "../support/portal";

function Telling() {
  const { message, notification } = useFeedback();
  useEffect(() => {
    notification.destroy();
    notification.error({ key: "gone", title: "taken back" });
    notification.destroy("gone");
    notification.error({ key: "kept", title: "it went wrong" });
    message.success("it went well");
  }, [message, notification]);
  return null;
}

test("what is told before the place for it is loaded is shown once it is, and what was taken back is not", async () => {
  await show(<Telling />);
  expect(await screen.findByText("it went wrong")).toBeDefined();
  expect(await screen.findByText("it went well")).toBeDefined();
  expect(screen.queryByText("taken back")).toBeNull();
});
