"""Rows of a database that nobody runs on: tests of what is read put there exactly what they are about."""

from typing import Any

from atoll.api.domains import permissions
from atoll.database.base import now
from atoll.engines.base import NodeDevicesObservation, NodeObservation
from atoll.identity.caller import Caller
from atoll.identity.models import UserRoleRow, UserRow
from atoll.identity.permissions import USER_ROLE, PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.repository import RightsRepository
from atoll.identity.service import caller_of
from atoll.tasks.models import AttemptRow, ReplicaRow, TaskRow
from atoll.virtual_clusters.models import MemberRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from sqlalchemy.ext.asyncio import AsyncSession

GPU, NPU = "nvidia_gpu_amd64", "huawei_npu_amd64"


async def a_caller(session: AsyncSession, name: str) -> Caller:
    """The user of that name, who is made a member of the virtual cluster when new."""
    row = await IdentityRepository(session).user_by_name(name)
    if row is None:
        row = UserRow(name=name, password_hash="none")
        session.add(row)
        await session.flush()
        session.add(UserRoleRow(user_id=row.id, role_id=USER_ROLE))
        cluster = await VirtualClusterRepository(session).by_name("default")
        assert cluster is not None
        session.add(MemberRow(virtual_cluster_id=cluster.id, user_id=row.id))
        await session.flush()
        await session.refresh(cluster)
    grants = await RightsRepository(session).grants_of(row.id)
    return caller_of(row, grants, PermissionTable(permissions()), "", "request")


async def a_task(session: AsyncSession, owner: Caller, name: str, **more: Any) -> TaskRow:
    """A task of that user."""
    cluster = await VirtualClusterRepository(session).by_name("default")
    assert cluster is not None
    usual = {"kind": "training", "framework": "plain", "device_type": GPU, "devices": 1, "nodes": 1}
    row = TaskRow(
        name=name,
        owner_id=owner.id,
        definition={},
        specification={},
        **{"virtual_cluster_id": cluster.id} | usual | more,
    )
    session.add(row)
    await session.flush()
    return row


async def runs_on(session: AsyncSession, task: TaskRow, node: str, devices: list[int] | None) -> None:
    """The task holds devices of a node; None where the engine does not know which."""
    session.add(AttemptRow(id=f"attempt-of-{task.name}", task_id=task.id, number=1))
    await session.flush()
    session.add(ReplicaRow(attempt_id=f"attempt-of-{task.name}", rank=0, node=node, devices=devices, state="running"))
    await session.flush()


def a_node(name: str, state: str = "ready", kind: str = GPU, total: int = 4, used: int = 0) -> NodeObservation:
    """A machine with devices of one type."""
    return NodeObservation.model_validate(
        {
            "name": name,
            "address": "192.0.2.1",
            "roles": ("worker",),
            "arch": "amd64",
            "state": state,
            "takes_tasks": state == "ready",
            "cpu_cores": 8,
            "cpu_requested": 1,
            "memory_bytes": 2**34,
            "memory_requested": 2**30,
            "pods": 3,
            "pods_max": 110,
            "devices": (NodeDevicesObservation(type=kind, resource="example.com/card", total=total, used=used),),
            "os": "Debian",
            "kernel": "6",
            "kubelet": "1",
            "runtime": "2",
            "joined_at": now(),
            "state_since": now(),
        }
    )
