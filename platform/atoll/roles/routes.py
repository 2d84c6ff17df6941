"""Roles, and what they can grant."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.permissions import PermissionTable
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.identity.rights.policy import ROLES_MANAGE, ROLES_READ
from atoll.identity.rights.schemas import Groups, Permissions, Users
from atoll.identity.schemas import GroupReference, UserReference
from atoll.roles.schemas import Role, RoleCreate, RoleUpdate
from atoll.roles.service import RoleService
from atoll.web.conditional import IfMatch, etag
from atoll.web.dependencies import Cursor, Limit, Parts, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["roles"])


async def _service(session: Transaction, parts: Parts) -> RoleService:
    return RoleService(session, parts.part(PermissionTable))


Service = Annotated[RoleService, Depends(_service)]
Reader = Annotated[Caller, allowed(ROLES_READ)]
Manager = Annotated[Caller, allowed(ROLES_MANAGE)]
Words = Annotated[str | None, Query(max_length=128, description="In the name or the description")]


@router.get("/permissions", name="permissions")
async def permissions(service: Service, _caller: Reader) -> Permissions:
    """What roles can grant."""
    return service.permissions()


@router.get("/roles", name="list")
async def roles(
    service: Service, _caller: Reader, words: Words = None, limit: Limit = 50, cursor: Cursor = None
) -> Page[Role]:
    """All roles, by name."""
    return await service.list(limit, cursor, words)


@router.get("/roles/{role_id}", name="read")
async def role(role_id: str, response: Response, service: Service, _caller: Reader) -> Role:
    """One role."""
    return etag(response, await service.read(role_id))


@router.post("/roles", status_code=201)
async def create(body: RoleCreate, response: Response, service: Service, caller: Manager, judge: JudgedAgain) -> Role:
    """A new role, which grants no more than whoever makes it holds."""
    found = await service.create(caller, body)
    await judge(caller)
    return etag(response, found)


@router.patch("/roles/{role_id}")
async def update(
    role_id: str, body: RoleUpdate, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Role:
    """Change name, description or grants; what flows for its holders is looked at again at once."""
    return etag(response, await service.update(caller, role_id, body, if_match))


@router.delete("/roles/{role_id}", status_code=204)
async def delete(role_id: str, service: Service, caller: Manager, if_match: IfMatch = None) -> None:
    """Delete a role of one's own making; whoever holds it loses it."""
    await service.delete(caller, role_id, if_match)


@router.get("/roles/{role_id}/users", name="users")
async def users(
    role_id: str, service: Service, _caller: Reader, limit: Limit = 50, cursor: Cursor = None
) -> Page[UserReference]:
    """To whom it was given, by name; not those who hold it by a group."""
    return await service.users(role_id, limit, cursor)


@router.post("/roles/{role_id}/users", name="give_to_users")
async def give_to_users(role_id: str, body: Users, service: Service, caller: Manager) -> Role:
    """Give it to users."""
    return await service.give_to_users(caller, role_id, body.users)


@router.delete("/roles/{role_id}/users/{user_id}", status_code=204, name="take_from_user")
async def take_from_user(role_id: str, user_id: str, service: Service, caller: Manager) -> None:
    """Take it from a user."""
    await service.take_from_user(caller, role_id, user_id)


@router.get("/roles/{role_id}/groups", name="groups")
async def groups(
    role_id: str, service: Service, _caller: Reader, limit: Limit = 50, cursor: Cursor = None
) -> Page[GroupReference]:
    """Which groups have it, by name."""
    return await service.groups(role_id, limit, cursor)


@router.post("/roles/{role_id}/groups", name="give_to_groups")
async def give_to_groups(role_id: str, body: Groups, service: Service, caller: Manager) -> Role:
    """Give it to groups."""
    return await service.give_to_groups(caller, role_id, body.groups)


@router.delete("/roles/{role_id}/groups/{group_id}", status_code=204, name="take_from_group")
async def take_from_group(role_id: str, group_id: str, service: Service, caller: Manager) -> None:
    """Take it from a group."""
    await service.take_from_group(caller, role_id, group_id)
