"""Accounts."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.schemas import User
from atoll.users.policy import USERS_MANAGE, USERS_READ
from atoll.users.schemas import UserCreate
from atoll.users.service import UserService
from atoll.web.dependencies import Cursor, Limit, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["users"])


def _service(session: Transaction) -> UserService:
    return UserService(session)


Service = Annotated[UserService, Depends(_service)]


@router.get("/users", name="list")
async def users(
    service: Service,
    _caller: Annotated[Caller, allowed(USERS_READ)],
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[User]:
    """All accounts, by name."""
    return await service.list(limit, cursor)


@router.post("/users", status_code=201)
async def create(body: UserCreate, service: Service, caller: Annotated[Caller, allowed(USERS_MANAGE)]) -> User:
    """A new account, which must change its password at first sign-in."""
    return await service.create(caller, body)
