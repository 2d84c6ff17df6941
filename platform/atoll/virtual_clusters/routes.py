"""Virtual clusters: list, read, make, edit, extend, delete; what there is to be granted."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.virtual_clusters.management import VirtualClusterManagement
from atoll.virtual_clusters.members.service import Kind, MemberManagement
from atoll.virtual_clusters.policy import (
    VIRTUAL_CLUSTERS_MANAGE,
    VIRTUAL_CLUSTERS_READ,
    VIRTUAL_CLUSTERS_READ_ALL,
)
from atoll.virtual_clusters.schemas import (
    ClusterMember,
    DeviceCapacity,
    MembersAdd,
    MembersAdded,
    MembersRemove,
    MembersRemoved,
    VirtualCluster,
    VirtualClusterCreate,
    VirtualClusterEdit,
    VirtualClusterExtend,
)
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.virtual_clusters.usage import ClusterTasks, UsageReader
from atoll.web.conditional import IfMatch, etag
from atoll.web.dependencies import Cursor, Limit, Parts, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["virtual clusters"])


async def _service(session: Transaction) -> VirtualClusterService:
    return VirtualClusterService(session)


async def _management(session: Transaction, parts: Parts) -> VirtualClusterManagement:
    return VirtualClusterManagement(session, parts.configuration, parts.part(UsageReader), parts.part(ClusterTasks))


async def _members(session: Transaction, parts: Parts) -> MemberManagement:
    return MemberManagement(session, parts.part(ClusterTasks))


Service = Annotated[VirtualClusterService, Depends(_service)]
Management = Annotated[VirtualClusterManagement, Depends(_management)]
Members = Annotated[MemberManagement, Depends(_members)]
Reader = Annotated[Caller, allowed(VIRTUAL_CLUSTERS_READ, VIRTUAL_CLUSTERS_READ_ALL)]
Manager = Annotated[Caller, allowed(VIRTUAL_CLUSTERS_MANAGE)]


@router.get("/virtual-clusters", name="list")
async def virtual_clusters(
    service: Service, caller: Reader, parts: Parts, limit: Limit = 50, cursor: Cursor = None
) -> Page[VirtualCluster]:
    """The caller's virtual clusters; all of them for administrators."""
    return await service.list(caller, parts.part(UsageReader), limit, cursor)


@router.get("/virtual-clusters/{cluster_id}", name="read")
async def virtual_cluster(
    cluster_id: str, response: Response, service: Service, caller: Reader, parts: Parts
) -> VirtualCluster:
    """One of the caller's virtual clusters; any for administrators."""
    return etag(response, await service.read(caller, parts.part(UsageReader), cluster_id))


@router.post("/virtual-clusters", name="create", status_code=201)
async def create(
    body: VirtualClusterCreate, response: Response, management: Management, caller: Manager, judge: JudgedAgain
) -> VirtualCluster:
    """A new virtual cluster, without members; its tasks wait until the engine has it."""
    made = await management.create(caller, body)
    response.headers["Location"] = f"/api/v1/virtual-clusters/{made.id}"
    await judge(caller)
    return etag(response, made)


@router.patch("/virtual-clusters/{cluster_id}", name="edit")
async def edit(
    cluster_id: str,
    body: VirtualClusterEdit,
    response: Response,
    management: Management,
    caller: Manager,
    judge: JudgedAgain,
    if_match: IfMatch = None,
) -> VirtualCluster:
    """More of anything at any time; less only while no task waits or runs in it."""
    found = await management.edit(caller, cluster_id, body, if_match)
    await judge(caller)
    return etag(response, found)


@router.post("/virtual-clusters/{cluster_id}/extend", name="extend")
async def extend(
    cluster_id: str,
    body: VirtualClusterExtend,
    response: Response,
    management: Management,
    caller: Manager,
    judge: JudgedAgain,
    if_match: IfMatch = None,
) -> VirtualCluster:
    """More hours for the tasks of this virtual cluster, at any time; those that run have them, too."""
    found = await management.extend(caller, cluster_id, body.hours, if_match)
    await judge(caller)
    return etag(response, found)


@router.delete("/virtual-clusters/{cluster_id}", name="delete", status_code=202)
async def delete(
    cluster_id: str,
    response: Response,
    management: Management,
    caller: Manager,
    judge: JudgedAgain,
    if_match: IfMatch = None,
) -> VirtualCluster:
    """Delete it, while no task waits or runs in it. Its members lose it at once; it is gone once the engine says so."""
    found = await management.delete(caller, cluster_id, if_match)
    await judge(caller)
    return etag(response, found)


@router.get("/virtual-clusters/{cluster_id}/members", name="list_members")
async def members(
    cluster_id: str,
    service: Members,
    _caller: Manager,
    kind: Annotated[Kind | None, Query(description="Only groups, or only users")] = None,
    words: Annotated[str | None, Query(max_length=128, description="In the name or the full name")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[ClusterMember]:
    """Its groups, then all its users, those of its groups included."""
    return await service.list(cluster_id, kind=kind, words=words, limit=limit, cursor=cursor)


@router.post("/virtual-clusters/{cluster_id}/members", name="add_members")
async def add_members(
    cluster_id: str, body: MembersAdd, service: Members, caller: Manager, judge: JudgedAgain
) -> MembersAdded:
    """Make users and groups members."""
    found = await service.add(caller, cluster_id, body)
    await judge(caller)
    return found


@router.post("/virtual-clusters/{cluster_id}/members/remove", name="remove_members")
async def remove_members(
    cluster_id: str, body: MembersRemove, service: Members, caller: Manager, judge: JudgedAgain
) -> MembersRemoved:
    """Take users and groups out; who is a member in another way stays one, and is named."""
    found = await service.remove(caller, cluster_id, body)
    await judge(caller)
    return found


@router.get("/device-capacity", name="read_capacity")
async def device_capacity(management: Management, _caller: Manager) -> list[DeviceCapacity]:
    """Each device type: how many there are on the machines, and how many are granted to virtual clusters."""
    return await management.capacity()
