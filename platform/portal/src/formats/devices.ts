/** Device types have the names of the original: vendor, kind, architecture (`nvidia_gpu_amd64`). */

const VENDORS: Record<string, string> = { nvidia: "NVIDIA", huawei: "Huawei" };

/** `huawei_npu_arm64` → `NPU`. */
export function kindOf(type: string): string {
  return (type.split("_")[1] ?? type).toUpperCase();
}

/** `huawei_npu_arm64` → `Huawei NPU (arm64)`. */
export function deviceName(type: string | null): string {
  if (type === null) return "CPU";
  const [vendor = type, kind, arch] = type.split("_");
  if (!kind) return type;
  return `${VENDORS[vendor] ?? vendor} ${kind.toUpperCase()}${arch ? ` (${arch})` : ""}`;
}

const RESOURCES: Record<string, string> = { cpu: "CPU", "nvidia.com/gpu": "GPU", "huawei.com/Ascend910": "NPU" };

/** A resource of the engine as people say it; memory has a word in every language, which this does not know. */
export function resourceName(resource: string): string | undefined {
  return resource === "memory" ? undefined : (RESOURCES[resource] ?? resource);
}

/** `4 × NPU`, over several nodes `2 × 8 NPU`. */
export function devicesText(devices: number, nodes: number, type: string | null): string {
  if (devices === 0 || type === null) return nodes > 1 ? `${nodes} × CPU` : "CPU";
  return nodes > 1 ? `${nodes} × ${devices} ${kindOf(type)}` : `${devices} × ${kindOf(type)}`;
}
