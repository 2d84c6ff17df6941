"""Charts of one task: the scalars that its program reported, and its use of resources from Prometheus."""

import time
from datetime import datetime

from atoll import quantities
from atoll.homes.client import FilesClient
from atoll.measurements.codes import MonitoringUnavailableReason, NoMonitoringReason
from atoll.measurements.prometheus import Prometheus
from atoll.tasks.models import TaskRow
from atoll.tasks.scalars import OWNERS, reported
from atoll.tasks.schemas import TaskMetrics, UsageSeries
from atoll.web.errors import NotFound, Unavailable
from atoll.web.schema import Reason

POINTS = 240


class TaskMetricsService:
    """What a task did over time."""

    def __init__(self, files: FilesClient, prometheus: Prometheus | None) -> None:
        self._files = files
        self._prometheus = prometheus

    async def metrics(self, row: TaskRow) -> TaskMetrics:
        """Scalars and use; what cannot be had is named, the rest is given. Raises TooMany."""
        async with OWNERS.turn(row.owner.name):
            return await self._metrics(row)

    async def _metrics(self, row: TaskRow) -> TaskMetrics:
        try:
            scalars, truncated = await reported(self._files, row.owner, row.id)
        except NotFound:
            scalars, truncated = [], False  # the program has reported nothing yet
        usage, missing = await self._usage(row)
        return TaskMetrics(scalars=scalars, truncated=truncated, usage=usage, usage_unavailable=missing)

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
