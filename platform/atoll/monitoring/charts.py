"""The known charts: a table of names, units and PromQL. Callers choose a name; they never send PromQL."""

import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from atoll.measurements.prometheus import Prometheus
from atoll.monitoring.schemas import Chart, Series

POINTS = 240
Unit = Literal["percent", "bytes", "bytes_per_second", "cores", "count"]


class ChartName(StrEnum):
    """What can be drawn."""

    NODE_CPU = "node_cpu"
    NODE_MEMORY = "node_memory"
    NODE_NETWORK_RECEIVED = "node_network_received"
    NODE_NETWORK_SENT = "node_network_sent"
    NODE_DISK_READ = "node_disk_read"
    NODE_DISK_WRITTEN = "node_disk_written"
    DEVICE_UTILISATION = "device_utilisation"
    DEVICE_MEMORY = "device_memory"


@dataclass(frozen=True)
class _Definition:
    unit: Unit
    query: str


_BY = "by (node)"
_CHARTS = {
    ChartName.NODE_CPU: _Definition(
        "percent", f'100 * (1 - avg {_BY} (rate(node_cpu_seconds_total{{mode="idle"$and}}[2m])))'
    ),
    ChartName.NODE_MEMORY: _Definition(
        "percent",
        f"100 * (1 - sum {_BY} (node_memory_MemAvailable_bytes$only) / sum {_BY} (node_memory_MemTotal_bytes$only))",
    ),
    ChartName.NODE_NETWORK_RECEIVED: _Definition(
        "bytes_per_second", f'sum {_BY} (rate(node_network_receive_bytes_total{{device!~"lo|veth.*"$and}}[2m]))'
    ),
    ChartName.NODE_NETWORK_SENT: _Definition(
        "bytes_per_second", f'sum {_BY} (rate(node_network_transmit_bytes_total{{device!~"lo|veth.*"$and}}[2m]))'
    ),
    ChartName.NODE_DISK_READ: _Definition("bytes_per_second", f"sum {_BY} (rate(node_disk_read_bytes_total$only[2m]))"),
    ChartName.NODE_DISK_WRITTEN: _Definition(
        "bytes_per_second", f"sum {_BY} (rate(node_disk_written_bytes_total$only[2m]))"
    ),
    ChartName.DEVICE_UTILISATION: _Definition(
        "percent", "avg by (node, type, device) (atoll_device_utilisation_percent$only)"
    ),
    ChartName.DEVICE_MEMORY: _Definition("bytes", "sum by (node, type, device) (atoll_device_memory_used_bytes$only)"),
}


async def chart(prometheus: Prometheus, name: ChartName, *, minutes: int, node: str | None) -> Chart:
    """The chart's lines over the last `minutes`. Raises Unavailable when Prometheus does not answer."""
    definition = _CHARTS[name]
    # `node` is checked by its route to hold only characters of host names.
    matcher = f'node="{node}"' if node else ""
    query = definition.query.replace("$and", f", {matcher}" if matcher else "")
    query = query.replace("$only", f"{{{matcher}}}" if matcher else "")
    until = time.time()
    since = until - minutes * 60
    series = await prometheus.range(query, since, until, step_s=max(15, minutes * 60 // POINTS))
    return Chart(
        name=name,
        unit=definition.unit,
        series=[Series(labels=line.labels, times=line.times, values=line.values) for line in series],
    )
