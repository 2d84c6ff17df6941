"""The first page."""

from pydantic import Field

from atoll.tasks.schemas import KindCounts, TaskSummary
from atoll.virtual_clusters.schemas import VirtualCluster
from atoll.web.schema import Reason, Schema


class NodeCounts(Schema):
    """Machines, for administrators."""

    total: int
    ready: int


class Overview(Schema):
    """What runs, what is free, what needs attention."""

    tasks: list[KindCounts] = Field(description="The caller's own tasks")
    recent: list[TaskSummary]
    virtual_clusters: list[VirtualCluster]
    nodes: NodeCounts | None
    running_total: int | None = Field(description="Tasks of all users that run, for administrators")
    attention: list[Reason]
