"""Accounts."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.schemas import User
from atoll.users.policy import USERS_MANAGE, USERS_READ
from atoll.users.schemas import Account, OneTimePassword, UserCreate, UserDisable
from atoll.users.service import UserService
from atoll.web.conditional import IfMatch, etag
from atoll.web.dependencies import Cursor, Limit, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["users"])


async def _service(session: Transaction) -> UserService:
    return UserService(session)


Service = Annotated[UserService, Depends(_service)]
Manager = Annotated[Caller, allowed(USERS_MANAGE)]


@router.get("/users", name="list")
async def users(
    service: Service,
    _caller: Annotated[Caller, allowed(USERS_READ)],
    words: Annotated[str | None, Query(max_length=128, description="In the name or the full name")] = None,
    active: Annotated[bool | None, Query(description="Only those that may sign in, or only those that may not")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[Account]:
    """All accounts, by name."""
    return await service.list(limit, cursor, words=words, active=active)


@router.get("/users/{user_id}", name="read")
async def user(
    user_id: str, response: Response, service: Service, _caller: Annotated[Caller, allowed(USERS_READ)]
) -> Account:
    """One account."""
    return etag(response, await service.read(user_id))


@router.post("/users", status_code=201)
async def create(body: UserCreate, service: Service, caller: Manager) -> User:
    """A new account, which must change its password at first sign-in."""
    return await service.create(caller, body)


@router.post("/users/{user_id}/disable")
async def disable(
    user_id: str, body: UserDisable, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Account:
    """Nobody signs in as this user any more; sessions, streams and downloads end within seconds."""
    return etag(response, await service.disable(caller, user_id, if_match, stop_tasks=body.stop_tasks))


@router.post("/users/{user_id}/enable")
async def enable(
    user_id: str, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Account:
    """The user may sign in again, with the password of before."""
    return etag(response, await service.enable(caller, user_id, if_match))


@router.post("/users/{user_id}/reset-password")
async def reset_password(
    user_id: str, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> OneTimePassword:
    """A one-time password, which is told this once and must be changed at the first sign-in; sessions end."""
    given = await service.reset_password(caller, user_id, if_match)
    etag(response, given.account)
    return given


@router.post("/users/{user_id}/end-sessions")
async def end_sessions(
    user_id: str, response: Response, service: Service, caller: Manager, if_match: IfMatch = None
) -> Account:
    """Sign the user out everywhere; streams and downloads end within seconds."""
    return etag(response, await service.end_sessions(caller, user_id, if_match))
