"""Groups."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from atoll.groups.schemas import Group, GroupCreate, GroupRoles, GroupUpdate
from atoll.groups.service import GroupService
from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.permissions import PermissionTable
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.identity.rights.policy import GROUPS_MANAGE, GROUPS_READ
from atoll.identity.rights.schemas import Users
from atoll.identity.schemas import UserReference
from atoll.web.conditional import IfMatch, etag
from atoll.web.dependencies import Cursor, Limit, Parts, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["groups"])


async def _service(session: Transaction, parts: Parts) -> GroupService:
    return GroupService(session, parts.part(PermissionTable))


Service = Annotated[GroupService, Depends(_service)]
Reader = Annotated[Caller, allowed(GROUPS_READ)]
Manager = Annotated[Caller, allowed(GROUPS_MANAGE)]
Words = Annotated[str | None, Query(max_length=128, description="In the name or the description")]


@router.get("/groups", name="list")
async def groups(
    service: Service, _caller: Reader, words: Words = None, limit: Limit = 50, cursor: Cursor = None
) -> Page[Group]:
    """All groups, by name."""
    return await service.list(limit, cursor, words)


@router.get("/groups/{group_id}", name="read")
async def group(group_id: str, response: Response, service: Service, _caller: Reader) -> Group:
    """One group."""
    return etag(response, await service.read(group_id))


@router.post("/groups", status_code=201)
async def create(body: GroupCreate, response: Response, service: Service, caller: Manager, judge: JudgedAgain) -> Group:
    """A new group, which has no more rights than whoever makes it holds."""
    found = await service.create(caller, body)
    await judge(caller)
    return etag(response, found)


@router.patch("/groups/{group_id}")
async def update(
    group_id: str, body: GroupUpdate, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Group:
    """Change name or description."""
    return etag(response, await service.update(caller, group_id, body, if_match))


@router.put("/groups/{group_id}/roles", name="put_roles")
async def put_roles(
    group_id: str, body: GroupRoles, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Group:
    """Set all roles of a group; what flows for who is in it is looked at again at once."""
    return etag(response, await service.put_roles(caller, group_id, body.roles, if_match))


@router.delete("/groups/{group_id}", status_code=204)
async def delete(group_id: str, service: Service, caller: Manager, if_match: IfMatch = None) -> None:
    """Delete a group; who is in it loses what they hold by it."""
    await service.delete(caller, group_id, if_match)


@router.get("/groups/{group_id}/users", name="users")
async def users(
    group_id: str, service: Service, _caller: Reader, limit: Limit = 50, cursor: Cursor = None
) -> Page[UserReference]:
    """Who is in a group, by name."""
    return await service.users(group_id, limit, cursor)


@router.post("/groups/{group_id}/users", name="add_users")
async def add_users(group_id: str, body: Users, service: Service, caller: Manager, judge: JudgedAgain) -> Group:
    """Put users into a group."""
    found = await service.add_users(caller, group_id, body.users)
    await judge(caller)
    return found


@router.delete("/groups/{group_id}/users/{user_id}", status_code=204, name="remove_user")
async def remove_user(group_id: str, user_id: str, service: Service, caller: Manager) -> None:
    """Take a user out of a group."""
    await service.remove_user(caller, group_id, user_id)
