"""Charts of one task: the scalars that its program reported, and its use of resources from Prometheus."""

import json
import math
import time
from datetime import datetime

from atoll import quantities
from atoll.database.texts import keepable
from atoll.homes.client import FilesClient
from atoll.measurements.codes import MonitoringUnavailableReason, NoMonitoringReason
from atoll.measurements.prometheus import Prometheus
from atoll.tasks.models import TaskRow
from atoll.tasks.schemas import ScalarSeries, TaskMetrics, UsageSeries
from atoll.web.errors import NotFound, Unavailable
from atoll.web.schema import Reason

MAX_BYTES = 8 << 20
MAX_POINTS = 2000
POINTS = 240
LARGEST_STEP = 1 << 53  # beyond it, neither JavaScript nor a float counts by one


def metrics_path(task_id: str) -> str:
    """Where a program's scalars lie in the owner's home."""
    return f"tasks/{task_id}/metrics.jsonl"


def scalars(text: str) -> list[ScalarSeries]:
    """Series from lines of JSON; lines that are none (a half-written last one) are left out."""
    found: dict[str, dict[int, float]] = {}
    for number, line in enumerate(text.splitlines()):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(entry, dict):
            continue
        step = entry.get("step", number)
        if isinstance(step, bool) or not isinstance(step, int) or abs(step) > LARGEST_STEP:
            continue
        for name, told in entry.items():
            value = None if name == "step" else _number(told)
            if value is not None:
                found.setdefault(keepable(name[:64]), {})[step] = value
    series = []
    for name, points in found.items():
        steps = sorted(points)
        thinned = steps[:: max(1, math.ceil(len(steps) / MAX_POINTS))]
        if thinned and thinned[-1] != steps[-1]:
            thinned.append(steps[-1])
        series.append(ScalarSeries(name=name, steps=thinned, values=[points[step] for step in thinned]))
    return series


def _number(value: object) -> float | None:
    """A finite number, None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer of hundreds of digits
        return None
    return number if math.isfinite(number) else None


class TaskMetricsService:
    """What a task did over time."""

    def __init__(self, files: FilesClient, prometheus: Prometheus | None) -> None:
        self._files = files
        self._prometheus = prometheus

    async def metrics(self, row: TaskRow) -> TaskMetrics:
        """Scalars and use; what cannot be had is named, the rest is given."""
        text = b""
        try:
            async for chunk in self._files.read(row.owner, metrics_path(row.id), length=MAX_BYTES):
                text += chunk
        except NotFound:
            text = b""  # the program has reported nothing yet
        usage, missing = await self._usage(row)
        return TaskMetrics(scalars=scalars(text.decode("utf-8", "replace")), usage=usage, usage_unavailable=missing)

    async def _usage(self, row: TaskRow) -> tuple[list[UsageSeries], Reason | None]:
        if self._prometheus is None:
            return [], NoMonitoringReason().reason()
        replicas = [replica for attempt in row.attempts for replica in attempt.replicas if replica.pod]
        starts = [replica.started_at for replica in replicas if replica.started_at is not None]
        if not starts:
            return [], None
        since = min(starts).timestamp() - 15
        until = _end(row.finished_at)
        step = max(15, int((until - since) / POINTS))
        ranks = {str(replica.pod): replica.rank for replica in replicas}
        pods = "|".join(sorted(ranks))
        limits = row.specification["limits"]
        queries = (
            (
                "cpu",
                "cores",
                f'sum by (pod) (rate(container_cpu_usage_seconds_total{{pod=~"{pods}",container="task"}}[1m]))',
                float(quantities.parse(limits["cpu"])),
            ),
            (
                "memory",
                "bytes",
                f'sum by (pod) (container_memory_working_set_bytes{{pod=~"{pods}",container="task"}})',
                float(quantities.parse(limits["memory"])),
            ),
            (
                "device_utilisation",
                "percent",
                f'max by (pod, device) (atoll_device_utilisation_percent{{pod=~"{pods}"}})',
                100.0,
            ),
        )
        series: list[UsageSeries] = []
        try:
            for name, unit, query, limit in queries:
                series.extend(
                    UsageSeries(
                        name=name,
                        unit=unit,  # type: ignore[arg-type]
                        rank=ranks[line.labels["pod"]],
                        device=line.labels.get("device"),
                        limit=limit,
                        times=line.times,
                        values=line.values,
                    )
                    for line in await self._prometheus.range(query, since, until, step_s=step)
                    if line.labels.get("pod") in ranks
                )
        except Unavailable:
            return [], MonitoringUnavailableReason().reason()
        return series, None


def _end(finished: datetime | None) -> float:
    return finished.timestamp() + 15 if finished is not None else time.time()
