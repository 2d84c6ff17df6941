/** A device type as the server calls it: what it says of one in an answer is its `type` alone. */
export interface DeviceTypeName {
  type: string;
  title: string;
  card: string;
  arch: string;
}

let known = new Map<string, DeviceTypeName>();

/** Who signs in brings the names along; a type that the cluster no longer has goes by its own. */
export function knowDeviceTypes(types: readonly DeviceTypeName[]): void {
  known = new Map(types.map((each) => [each.type, each]));
}

/** What people call one card: `NPU`. */
export function kindOf(type: string): string {
  return known.get(type)?.card ?? type;
}

/** `Huawei NPU (arm64)`. */
export function deviceName(type: string | null): string {
  if (type === null) return "CPU";
  const found = known.get(type);
  return found ? `${found.title} (${found.arch})` : type;
}

/** A resource as people say it: cards come with their name; memory has a word in every language, which this does not know. */
export function resourceName(resource: string): string | undefined {
  if (resource === "memory") return undefined;
  return resource === "cpu" ? "CPU" : resource;
}

/** `4 × NPU`, over several nodes `2 × 8 NPU`. */
export function devicesText(devices: number, nodes: number, type: string | null): string {
  if (devices === 0 || type === null) return nodes > 1 ? `${nodes} × CPU` : "CPU";
  return nodes > 1 ? `${nodes} × ${devices} ${kindOf(type)}` : `${devices} × ${kindOf(type)}`;
}
