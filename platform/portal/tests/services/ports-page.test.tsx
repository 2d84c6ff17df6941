// @vitest-environment happy-dom
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { PortsPage } from "@/services/ports-page";
import { problem, serve, show } from "../support/portal";

const ETCD = {
  what: "etcd",
  program: "etcd",
  protocol: "tcp",
  ports: "2379",
  binds: "node",
  on: "masters",
  who: ["masters"],
  callers: [],
  who_ipv6: [],
  sensitive: true,
};
const SSH = {
  ...ETCD,
  what: "SSH",
  program: "sshd",
  ports: "22",
  on: "all",
  who: ["everybody"],
  who_ipv6: ["everybody"],
};
const FILES = {
  ...ETCD,
  what: "files",
  program: "atoll-system/files",
  ports: "8002",
  binds: "pod network",
  on: "all",
  who: ["pods"],
  callers: ["api", "jobs"],
};
const PORTAL = { ...SSH, what: "portal", program: "gateway", ports: "443", sensitive: false };
const HELD = { firewall: true, rows: [SSH, ETCD, FILES, PORTAL], without_row: [], silent: [] };

test("each row says where it listens and who may come in both families", async () => {
  serve({ "GET /api/v1/ports": () => HELD });
  await show(<PortsPage />);
  const row = (await screen.findByText("2379/tcp")).closest("tr") as HTMLElement;
  expect(
    within(row)
      .getAllByRole("cell")
      .map((cell) => cell.textContent),
  ).toEqual(["2379/tcp", "etcdsensitiveetcd", "masters", "nobody", "masters, all addresses"]);
  expect(screen.getByText(/All that listens has a row/)).toBeTruthy();
});

test("where a network policy names who may come, the row names them", async () => {
  serve({ "GET /api/v1/ports": () => HELD });
  await show(<PortsPage />);
  const row = (await screen.findByText("8002/tcp")).closest("tr") as HTMLElement;
  expect(within(row).getByText("pods of the system: api, jobs")).toBeTruthy();
});

test("what listens without a row, a silent node and a firewall that is off are told, and nothing is called held", async () => {
  serve({
    "GET /api/v1/ports": () => ({
      ...HELD,
      firewall: false,
      without_row: [{ node: "worker1", protocol: "tcp", address: "0.0.0.0", port: 4444, program: "nc" }],
      silent: [{ node: "storage1", message: "no route" }],
    }),
  });
  await show(<PortsPage />);
  expect(await screen.findByText(/nc listens on worker1 at 0.0.0.0:4444\/tcp/)).toBeTruthy();
  expect(screen.getByText(/storage1 did not say what listens there: no route/)).toBeTruthy();
  expect(screen.getByText(/firewall is off/)).toBeTruthy();
  expect(screen.queryByText(/All that listens has a row/)).toBeNull();
});

test("a control service that does not answer is told with another try", async () => {
  serve({ "GET /api/v1/ports": () => problem(503, "control_unavailable") });
  await show(<PortsPage />);
  expect(await screen.findByRole("button", { name: /again/i })).toBeTruthy();
});

test("sensitive ports are marked, shown alone, and named where everybody may come to them", async () => {
  serve({ "GET /api/v1/ports": () => HELD });
  await show(<PortsPage />);
  const portal = (await screen.findByText("443/tcp")).closest("tr") as HTMLElement;
  expect(within(portal).queryByText("sensitive")).toBeNull();
  expect(screen.getAllByText("sensitive")).toHaveLength(3);
  expect(screen.getByText(/Sensitive, and open to everybody: SSH \(22\)\./)).toBeTruthy();
  await userEvent.click(screen.getByRole("checkbox", { name: "Sensitive ports only" }));
  expect(screen.queryByText("443/tcp")).toBeNull();
  expect(screen.getByText("2379/tcp")).toBeTruthy();
});

test("no sensitive port is named where nobody strange may come", async () => {
  serve({ "GET /api/v1/ports": () => ({ ...HELD, rows: [ETCD, PORTAL] }) });
  await show(<PortsPage />);
  await screen.findByText("443/tcp");
  expect(screen.queryByText(/open to everybody/)).toBeNull();
});
