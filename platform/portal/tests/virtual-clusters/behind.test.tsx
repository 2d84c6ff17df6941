// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { ApiProblem } from "@/api/problem";
import { ClusterForm } from "@/virtual-cluster-management/cluster-form";
import { serve, show } from "../support/portal";
import { capacity, cluster } from "./support";

const TYPE = "huawei_npu_arm64";
const THEIRS = cluster({
  version: 8,
  devices: [{ type: TYPE, total: 6, used: 1, free: 5 }],
  max_hours: 96,
  borrows: true,
  egress: [{ network: "203.0.113.0/24", ports: [{ protocol: "tcp", first: 443, last: null }] }],
});

test("whoever was slower sees what is stored in each field that both have changed, and keeps what was typed", async () => {
  serve({ "GET /api/v1/about": () => ({ engine: "local", version: "1" }) });
  await show(
    <ClusterForm
      capacity={[capacity(TYPE)]}
      cluster={cluster()}
      reread={async () => THEIRS}
      submitText="Save"
      send={async () => {
        throw new ApiProblem({ status: 412, code: "changed_meanwhile" } as never);
      }}
      done={() => undefined}
    />,
    { session: { permissions: ["virtual_clusters:manage"] as never } },
  );
  const hours = await screen.findByLabelText("Hours");
  await userEvent.clear(hours);
  await userEvent.type(hours, "12");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await userEvent.click(await screen.findByRole("button", { name: "Load anew" }));
  await waitFor(() =>
    expect(screen.getByText("Stored now:", { exact: false }).textContent).toBe("Stored now: Maximum hours: 96 hours"),
  );
  expect((screen.getByLabelText("Hours") as HTMLInputElement).value).toBe("12");
  expect((screen.getByLabelText("Number") as HTMLInputElement).value).toBe("6"); // not touched, so it is what is stored
  await userEvent.click(screen.getByRole("radio", { name: "Nothing" }));
  await waitFor(() =>
    expect(screen.getByText("Stored now:", { exact: false }).textContent).toContain(
      "Beyond its own devices: Idle devices of others",
    ),
  );
});
