import type { Capacity } from "@/virtual-cluster-management/queries";
import type { VirtualCluster } from "@/virtual-clusters/active";

/** Devices of one type in the whole cluster. */
export function capacity(type: string, otherwise: Partial<Capacity> = {}): Capacity {
  return { type, total: 8, away: 0, given: 0, free: 8, overcommitted: false, ...otherwise };
}

/** A virtual cluster as the server tells of it. */
export function cluster(otherwise: Partial<VirtualCluster> = {}): VirtualCluster {
  return {
    id: "v1",
    name: "vision",
    standing: "ready",
    devices: [{ type: "huawei_npu_arm64", total: 4, used: 1, free: 3 }],
    max_devices_per_user: { huawei_npu_arm64: 2 },
    max_hours: 48,
    borrows: false,
    pod_security: "restricted",
    egress: [],
    overcommitted: [],
    members: 3,
    member: true,
    running_tasks: 0,
    waiting_tasks: 0,
    created_at: "2026-01-01T00:00:00Z",
    version: 7,
    ...otherwise,
  };
}
