import type { Schemas } from "@/api/client";
import type { VirtualCluster } from "@/virtual-clusters/active";
import { type EgressFields, egressFields, egressOf } from "./egress";
import type { Capacity } from "./queries";

/** What the form holds; its names are those of the request, so that mistakes find their fields. */
export interface FormFields {
  name: string;
  devices: Record<string, number | null>;
  /** Empty: all of them. */
  max_devices_per_user: Record<string, number | null>;
  limited: boolean;
  max_hours: number | null;
  borrows: boolean;
  pod_security: VirtualCluster["pod_security"];
  egress: EgressFields[];
}

type Granting = Pick<
  VirtualCluster,
  "name" | "devices" | "max_devices_per_user" | "max_hours" | "borrows" | "pod_security" | "egress"
>;

const FIRST_HOURS = 24;

/** Types that the cluster has, and those that a virtual cluster has been given, whoever knows them still. */
export function typesOf(capacity: readonly Capacity[], cluster?: Granting): string[] {
  return [...new Set([...capacity, ...(cluster?.devices ?? [])].map(({ type }) => type))].sort();
}

/** What the form starts with: nothing, or what a virtual cluster has. */
export function fieldsOf(types: readonly string[], cluster?: Granting): FormFields {
  const total = (type: string) => cluster?.devices.find((each) => each.type === type)?.total ?? 0;
  return {
    name: cluster?.name ?? "",
    devices: Object.fromEntries(types.map((type) => [type, total(type)])),
    max_devices_per_user: Object.fromEntries(
      types.map((type) => {
        const most = cluster?.max_devices_per_user[type];
        return [type, most === undefined || most === total(type) ? null : most];
      }),
    ),
    limited: typeof cluster?.max_hours === "number",
    max_hours: cluster?.max_hours ?? FIRST_HOURS,
    borrows: cluster?.borrows ?? false,
    pod_security: cluster?.pod_security ?? "restricted",
    egress: egressFields(cluster?.egress ?? []),
  };
}

/** What the fields grant. A type without devices is none, unless the virtual cluster had it so. */
function terms(fields: FormFields, cluster?: Granting) {
  const { devices, max_devices_per_user: most, limited, max_hours, borrows, pod_security, egress } = fields;
  const had = new Set(cluster?.devices.filter(({ total }) => total === 0).map(({ type }) => type));
  const granted = Object.entries(devices)
    .map(([type, count]) => [type, count ?? 0] as const)
    .filter(([type, count]) => count > 0 || had.has(type));
  return {
    devices: Object.fromEntries(granted),
    max_devices_per_user: Object.fromEntries(
      // Without devices nobody has any; the number that is still in the field is of before.
      granted.map(([type, count]) => [type, count === 0 ? 0 : (most[type] ?? count)]),
    ),
    max_hours: limited ? max_hours : null,
    borrows,
    pod_security,
    egress: egressOf(egress),
  };
}

export function createRequest(fields: FormFields): Schemas["VirtualClusterCreate"] {
  return { name: fields.name, ...terms(fields) };
}

export function editRequest(fields: FormFields, cluster: Granting): Schemas["VirtualClusterEdit"] {
  return terms(fields, cluster);
}

/**
 * Whether whoever is in it would have less than before of anything: the server lets that be only while no task is in it.
 * But networks: those are closed at any time.
 */
export function givesLess(fields: FormFields, cluster: Granting): boolean {
  const after = terms(fields, cluster);
  const shorter = after.max_hours !== null && (cluster.max_hours === null || after.max_hours < cluster.max_hours);
  const stricter = after.pod_security === "restricted" && cluster.pod_security !== "restricted";
  return (
    shorter ||
    (cluster.borrows && !after.borrows) ||
    stricter ||
    cluster.devices.some(({ type, total }) => {
      const most = cluster.max_devices_per_user[type] ?? total;
      return (after.devices[type] ?? -1) < total || (after.max_devices_per_user[type] ?? 0) < most;
    })
  );
}

export interface Outlook {
  type: string;
  /** On machines that are up. */
  there: number;
  /** Granted to all virtual clusters, this one included, once it is as the fields say. */
  granted: number;
  left: number;
  /** How many more are granted than there are. */
  over: number;
}

/** What is left of each device type when a virtual cluster becomes as the fields say. */
export function outlook(capacity: readonly Capacity[], { devices }: FormFields, cluster?: Granting): Outlook[] {
  return typesOf(capacity, cluster).map((type) => {
    const known = capacity.find((each) => each.type === type);
    const own = cluster?.devices.find((each) => each.type === type)?.total ?? 0;
    const there = (known?.total ?? 0) - (known?.away ?? 0);
    const granted = Math.max(0, (known?.given ?? own) - own) + (devices[type] ?? 0);
    return { type, there, granted, left: Math.max(0, there - granted), over: Math.max(0, granted - there) };
  });
}
