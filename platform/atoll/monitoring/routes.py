"""Charts of the cluster."""

from typing import Annotated

from fastapi import APIRouter, Query

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.measurements.codes import NoMonitoring
from atoll.measurements.prometheus import Prometheus
from atoll.monitoring.charts import ChartName, chart
from atoll.monitoring.policy import MONITORING_READ
from atoll.monitoring.schemas import Chart
from atoll.web.dependencies import Parts
from atoll.web.errors import Unavailable

router = APIRouter(tags=["monitoring"])


@router.get("/monitoring/charts/{name}")
async def read_chart(
    name: ChartName,
    parts: Parts,
    _caller: Annotated[Caller, allowed(MONITORING_READ)],
    minutes: Annotated[int, Query(ge=1, le=44640)] = 60,
    node: Annotated[str | None, Query(max_length=253, pattern=r"^[a-z0-9.-]+$")] = None,
) -> Chart:
    """One of the known charts, for all nodes or one."""
    prometheus = parts.find(Prometheus)
    if prometheus is None:
        raise Unavailable(NoMonitoring())
    return await chart(prometheus, name, minutes=minutes, node=node)
