// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { ClusterForm } from "@/virtual-cluster-management/cluster-form";
import { editRequest, type FormFields } from "@/virtual-cluster-management/form";
import { problem, serve, show } from "../support/portal";
import { capacity, cluster } from "./support";

const SETTINGS = { refresh_seconds: 15, privileged_jobs: false, privileged_jobs_refused: null, version: 1 };
const SESSION = { permissions: ["virtual_clusters:manage", "settings:read"] as never };
const VISION = cluster({
  egress: [{ network: "203.0.113.0/24", ports: [{ protocol: "tcp", first: 443, last: 443 }] }],
});

function form(sent: FormFields[], fails?: () => Response) {
  return (
    <ClusterForm
      capacity={[capacity("huawei_npu_arm64")]}
      cluster={VISION}
      submitText="Save"
      send={async (fields) => {
        sent.push(fields);
        const answer = fails?.();
        if (answer) {
          const { ApiProblem } = await import("@/api/problem");
          throw new ApiProblem((await answer.json()) as never);
        }
        return VISION;
      }}
      done={() => undefined}
    />
  );
}

const served = {
  "GET /api/v1/settings": () => SETTINGS,
  "GET /api/v1/about": () => ({ engine: "kubernetes", version: "1" }),
};

describe("security of a virtual cluster", () => {
  test("is sent as it was typed", async () => {
    serve(served);
    const sent: FormFields[] = [];
    await show(form(sent), { session: SESSION });
    await userEvent.click(await screen.findByRole("radio", { name: /Baseline/ }));
    await userEvent.click(screen.getByRole("button", { name: "Open a network" }));
    await userEvent.type(screen.getByLabelText("Network 2"), "10.20.0.0/16");
    const ports = screen.getByLabelText("Ports of network 2");
    await userEvent.clear(ports);
    await userEvent.type(ports, "8000-8100, 53/udp");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(editRequest(sent[0] as FormFields, VISION)).toMatchObject({
      pod_security: "baseline",
      egress: [
        { network: "203.0.113.0/24" },
        {
          network: "10.20.0.0/16",
          ports: [
            { protocol: "tcp", first: 8000, last: 8100 },
            { protocol: "udp", first: 53, last: null },
          ],
        },
      ],
    });
    await userEvent.click(screen.getByRole("button", { name: "Remove network 1" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(sent).toHaveLength(2));
    expect(sent[1]?.egress.map(({ network }) => network)).toEqual(["10.20.0.0/16"]);
  });

  test("says at its field what no port is, and sends nothing", async () => {
    serve(served);
    const sent: FormFields[] = [];
    await show(form(sent), { session: SESSION });
    const ports = await screen.findByLabelText("Ports of network 1");
    await userEvent.clear(ports);
    await userEvent.type(ports, "http");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText(/Write ports like/)).toBeDefined();
    expect(sent).toEqual([]);
  });

  test("shows the server's mistakes at the network and at its ports", async () => {
    serve(served);
    const errors = [
      { field: "egress.0.network", code: "network_of_the_cluster", message: "", params: {} },
      { field: "egress.0.ports.0.last", code: "ports_reversed", message: "", params: {} },
    ];
    await show(
      form([], () => problem(422, "invalid_request", { errors })),
      { session: SESSION },
    );
    await userEvent.click(await screen.findByRole("button", { name: "Save" }));
    expect(await screen.findByText(/This is the cluster itself/)).toBeDefined();
    expect(await screen.findByText("The last port is not before the first.")).toBeDefined();
  });

  test("offers no root where the installation lets nobody be it, and says so", async () => {
    serve({ ...served, "GET /api/v1/settings": () => ({ ...SETTINGS, privileged_jobs_refused: "installation" }) });
    await show(form([]), { session: SESSION });
    expect(await screen.findByText(/This installation lets no job be root/)).toBeDefined();
    expect((screen.getByRole("radio", { name: /Baseline/ }) as HTMLInputElement).disabled).toBe(true);
  });

  test("tells that networks are closed to nobody where tasks are programs of this machine", async () => {
    serve({ ...served, "GET /api/v1/about": () => ({ engine: "local", version: "1" }) });
    await show(form([]), { session: SESSION });
    expect(await screen.findByText(/closed to nobody/)).toBeDefined();
  });
});
