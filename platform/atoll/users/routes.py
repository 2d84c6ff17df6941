"""Accounts."""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response

from atoll.identity.access_tokens.schemas import AccessToken
from atoll.identity.caller import Caller
from atoll.identity.dependencies import SentWhileSignedIn, allowed
from atoll.identity.permissions import PermissionTable
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.identity.rights.policy import GROUPS_READ, ROLES_READ, USERS_MANAGE, USERS_READ
from atoll.users.creation import UserCreation
from atoll.users.csv_file import template
from atoll.users.export import UsersExport
from atoll.users.import_schemas import UsersImport
from atoll.users.importing import UserImport
from atoll.users.schemas import (
    Account,
    OneTimePassword,
    PasswordReset,
    UserCreate,
    UserDelete,
    UserDisable,
    UserGroups,
    UserManagement,
    UserRoles,
    UsersCreate,
    UsersCreated,
    UserUpdate,
)
from atoll.users.service import UserService
from atoll.web.conditional import IfMatch, etag
from atoll.web.dependencies import Cursor, Limit, Parts, Transaction
from atoll.web.schema import Page
from atoll.web.spreadsheets import DESCRIBED, MARK, MEDIA_TYPE

router = APIRouter(tags=["users"])


async def _service(session: Transaction, parts: Parts) -> UserService:
    return UserService(session, parts.configuration, parts.part(PermissionTable))


async def _creation(session: Transaction, parts: Parts) -> UserCreation:
    return UserCreation(session, parts.configuration, parts.part(PermissionTable))


async def _filters(
    words: Annotated[str | None, Query(max_length=128, description="In names, e-mail address, phone number")] = None,
    active: Annotated[bool | None, Query(description="Only those that may sign in, or only those that may not")] = None,
    role: Annotated[str | None, Query(max_length=64, description="Only those that were given this role")] = None,
    group: Annotated[str | None, Query(max_length=64, description="Only those in this group")] = None,
    waiting: Annotated[
        bool | None, Query(description="Only those who can sign in and have no rights yet, or only the others")
    ] = None,
) -> dict[str, Any]:
    return {"words": words, "active": active, "role": role, "group": group, "waiting": waiting}


async def _importing(session: Transaction, parts: Parts) -> UserImport:
    return UserImport(session, parts.part(PermissionTable))


_A_FILE = {
    "requestBody": {"required": True, "content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}}}
}
Filters = Annotated[dict[str, Any], Depends(_filters)]
Service = Annotated[UserService, Depends(_service)]
Creation = Annotated[UserCreation, Depends(_creation)]
Reader = Annotated[Caller, allowed(USERS_READ)]
Manager = Annotated[Caller, allowed(USERS_MANAGE)]
SignedInManager = Annotated[Caller, allowed(USERS_MANAGE, by_token=False)]


@router.get("/user-management", name="management")
async def management(
    service: Service, _caller: Annotated[Caller, allowed(USERS_READ, GROUPS_READ, ROLES_READ)]
) -> UserManagement:
    """How many users, groups and roles there are."""
    return await service.management()


@router.get("/users", name="list")
async def users(
    service: Service, _caller: Reader, filters: Filters, limit: Limit = 50, cursor: Cursor = None
) -> Page[Account]:
    """All accounts, by name."""
    return await service.list(limit, cursor, **filters)


@router.post("/users/export", name="export", response_class=Response, responses=DESCRIBED)
async def export(request: Request, parts: Parts, caller: Reader, filters: Filters) -> Response:
    """All accounts that the filters select as CSV, with the columns of an import; it is audited."""
    return SentWhileSignedIn(UsersExport(parts, caller, filters), request, parts, caller)


@router.get("/users/{user_id}", name="read")
async def user(user_id: str, response: Response, service: Service, _caller: Reader) -> Account:
    """One account."""
    return etag(response, await service.read(user_id))


@router.post("/users", status_code=201)
async def create(
    body: UserCreate, response: Response, creation: Creation, caller: Manager, judge: JudgedAgain
) -> Account:
    """A new account, which must change its password at first sign-in."""
    found = await creation.one(caller, body)
    await judge(caller)
    return etag(response, found)


@router.post("/users/batch", status_code=201, name="create_several")
async def create_several(body: UsersCreate, creation: Creation, caller: Manager, judge: JudgedAgain) -> UsersCreated:
    """Several new accounts with the same roles, groups and virtual clusters; all are made, or none."""
    found = await creation.several(caller, body)
    await judge(caller)
    return found


@router.get("/users/import/template", name="import_template", response_class=Response, responses=DESCRIBED)
async def import_template(_caller: Manager, language: Literal["en", "zh"] = "en") -> Response:
    """The first line of a file for an import."""
    headers = {"Content-Disposition": 'attachment; filename="users.csv"'}
    return Response((MARK + template(language)).encode(), media_type=MEDIA_TYPE, headers=headers)


@router.post("/users/import", name="import", response_model=UsersImport, openapi_extra=_A_FILE)
async def import_users(
    request: Request,
    importing: Annotated[UserImport, Depends(_importing)],
    caller: Manager,
    dry_run: Annotated[bool, Query(description="Only tell what would be made, and what is wrong")] = False,
    skip_existing: Annotated[bool, Query(description="Who is there already is no mistake, and left as is")] = False,
) -> Response:
    """Accounts from a CSV file; all are made, or none. Their initial passwords are told in this answer only."""
    content = await request.body()
    do = importing.look if dry_run else importing.make
    answer = await do(caller, content, skip_existing=skip_existing)
    # Put into words in a thread, since it may have ten thousand lines.
    return Response(await asyncio.to_thread(answer.model_dump_json), media_type="application/json")


@router.patch("/users/{user_id}")
async def update(
    user_id: str, body: UserUpdate, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Account:
    """Change the full name, the phone number, the e-mail address."""
    return etag(response, await service.update(caller, user_id, body, if_match))


@router.put("/users/{user_id}/roles", name="put_roles")
async def put_roles(
    user_id: str, body: UserRoles, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Account:
    """Set all roles of a user; what flows for the user is looked at again at once."""
    return etag(response, await service.put_roles(caller, user_id, body.roles, if_match))


@router.put("/users/{user_id}/groups", name="put_groups")
async def put_groups(
    user_id: str, body: UserGroups, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Account:
    """Set all groups of a user; what flows for the user is looked at again at once."""
    return etag(response, await service.put_groups(caller, user_id, body.groups, if_match))


@router.post("/users/{user_id}/delete", status_code=204)
async def delete(
    user_id: str, body: UserDelete, service: Service, caller: Manager, judge: JudgedAgain, if_match: IfMatch = None
) -> None:
    """Delete an account: nobody gets its name or uid again, and the files stay where they are."""
    await service.delete(caller, user_id, if_match, stop_tasks=body.stop_tasks)
    await judge(caller)


@router.post("/users/{user_id}/disable")
async def disable(
    user_id: str,
    body: UserDisable,
    response: Response,
    service: Service,
    caller: Manager,
    judge: JudgedAgain,
    if_match: IfMatch = None,
) -> Account:
    """Nobody signs in as this user any more; sessions, access tokens, streams and downloads end within seconds."""
    found = await service.disable(caller, user_id, if_match, stop_tasks=body.stop_tasks)
    await judge(caller)
    return etag(response, found)


@router.post("/users/{user_id}/enable")
async def enable(
    user_id: str, response: Response, service: Service, caller: Manager, judge: JudgedAgain, if_match: IfMatch = None
) -> Account:
    """The user may sign in again, with the password of before."""
    found = await service.enable(caller, user_id, if_match)
    await judge(caller)
    return etag(response, found)


@router.post("/users/{user_id}/reset-password")
async def reset_password(
    user_id: str,
    response: Response,
    service: Service,
    caller: SignedInManager,
    body: PasswordReset | None = None,
    if_match: IfMatch = None,
) -> OneTimePassword:
    """A one-time password, which is told this once and must be changed at first; sessions and access tokens end.

    Links with providers end, too, unless they are to stay. Who holds an access token alone signs in as nobody else by
    it.
    """
    end_links = (body or PasswordReset()).end_links
    given = await service.reset_password(caller, user_id, if_match, end_links=end_links)
    etag(response, given.account)
    return given


@router.post("/users/{user_id}/end-sessions")
async def end_sessions(
    user_id: str, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Account:
    """Sign the user out everywhere; streams and downloads end within seconds. Access tokens stay."""
    return etag(response, await service.end_sessions(caller, user_id, if_match))


@router.get("/users/{user_id}/access-tokens", name="access_tokens")
async def access_tokens(
    user_id: str, service: Service, _caller: Reader, limit: Limit = 50, cursor: Cursor = None
) -> Page[AccessToken]:
    """The access tokens of a user, the newest first."""
    return await service.access_tokens(user_id, limit, cursor)


@router.delete("/users/{user_id}/access-tokens/{token_id}", status_code=204, name="end_access_token")
async def end_access_token(user_id: str, token_id: str, service: Service, caller: Manager) -> None:
    """End an access token of a user; streams and downloads that it opened end within seconds."""
    await service.end_access_token(caller, user_id, token_id)
