"""Metrics of simulated devices under the names and labels of the vendors' exporters (dcgm-exporter, npu-exporter)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily

from atoll.accelerators.devices import Device, Model
from atoll.accelerators.holders import Holder

# name, help, field of a Reading
_DCGM = (
    ("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", "utilisation"),
    ("DCGM_FI_DEV_MEM_COPY_UTIL", "Memory utilization (in %).", "memory_share"),
    ("DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", "memory_used_mib"),
    ("DCGM_FI_DEV_FB_FREE", "Framebuffer memory free (in MiB).", "memory_free_mib"),
    ("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", "celsius"),
    ("DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", "watt"),
    ("DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered.", "errors"),
)
_NPU = (
    ("npu_chip_info_utilization", "the ai core utilization (in %)", "utilisation"),
    ("npu_chip_info_hbm_used_memory", "the npu hbm used memory (in MB)", "memory_used_mib"),
    ("npu_chip_info_hbm_total_memory", "the npu hbm total memory (in MB)", "memory_total_mib"),
    ("npu_chip_info_temperature", "the npu temperature (in C)", "celsius"),
    ("npu_chip_info_power", "the npu power (in W)", "watt"),
    ("npu_chip_info_health_status", "the npu health status, 1 is healthy", "healthy"),
)
_DCGM_LABELS = ("gpu", "UUID", "device", "modelName", "Hostname", "namespace", "pod", "container")
_NPU_LABELS = ("id", "vdie_id", "model_name", "namespace", "pod_name", "container_name")

_EXPORTERS = {"dcgm-exporter": (_DCGM, _DCGM_LABELS), "npu-exporter": (_NPU, _NPU_LABELS)}


def reading(model: Model, device: Device, held: bool, now: float) -> dict[str, float]:
    """Return what the device pretends: idle when free, a slow wave between 70 and 96 % when a pod holds it."""
    share = 0.83 + 0.13 * math.sin(now / 60 + device.index) if held else 0.0
    used = round(model.memory_mib * (0.35 + 0.05 * share)) if held else 0
    return {
        "utilisation": round(share * 100),
        "memory_share": round(100 * used / model.memory_mib),
        "memory_used_mib": used,
        "memory_free_mib": model.memory_mib - used,
        "memory_total_mib": model.memory_mib,
        "celsius": round(32 + 40 * share),
        "watt": round(model.idle_watt + (model.full_watt - model.idle_watt) * share, 1),
        "errors": 0,
        "healthy": 1,
    }


def _labels(model: Model, node: str, device: Device, holder: Holder | None) -> tuple[str, ...]:
    where = (holder.namespace, holder.pod, holder.container) if holder else ("", "", "")
    if model.exporter == "npu-exporter":
        return (str(device.index), device.uuid, model.product, *where)
    return (str(device.index), device.uuid, f"nvidia{device.index}", model.product, node, *where)


def families(
    model: Model, node: str, devices: Iterable[Device], held: Mapping[str, Holder], now: float
) -> Iterator[GaugeMetricFamily]:
    """Return the metric families of all devices of the node at time `now`."""
    devices = tuple(devices)
    metrics, labels = _EXPORTERS[model.exporter]
    readings = {device.id: reading(model, device, device.id in held, now) for device in devices}
    for name, text, field in metrics:
        family = GaugeMetricFamily(name, text, labels=labels)
        for device in devices:
            family.add_metric(_labels(model, node, device, held.get(device.id)), readings[device.id][field])
        yield family
    if model.exporter == "npu-exporter":
        yield GaugeMetricFamily("machine_npu_nums", "amount of npus installed on the machine", value=len(devices))
