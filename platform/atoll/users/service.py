"""Rules of accounts."""

import builtins

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record
from atoll.identity.accounts import add_account
from atoll.identity.caller import Caller
from atoll.identity.repository import IdentityRepository
from atoll.identity.schemas import User
from atoll.users.codes import NameTaken, NoSuchVirtualCluster
from atoll.users.schemas import UserCreate
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.errors import Conflict, NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class UserService:
    """Accounts; the routes let only holders of users:read and users:manage in."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._repository = IdentityRepository(session)

    async def list(self, limit: int, cursor: str | None) -> Page[User]:
        """Accounts by name."""
        found = await self._repository.users(limit + 1, decode(cursor))
        rows, following = cut(found, limit, lambda row: row.name)
        return Page(items=[User.model_validate(row) for row in rows], next_cursor=following)

    async def create(self, caller: Caller, body: UserCreate) -> User:
        """A new account. Raises Conflict when the name is (or ever was) taken, NotFound for a virtual cluster."""
        if await self._repository.user_by_name(body.name) is not None:
            raise Conflict(NameTaken(name=body.name))
        user = await add_account(
            self._session,
            body.name,
            body.new_password_text(),
            roles=[str(role) for role in body.roles],
            nickname=body.nickname,
        )
        await self._join(user.id, body.virtual_clusters)
        record(
            self._session,
            caller,
            "user.create",
            kind="user",
            identifier=user.id,
            name=user.name,
            details={"roles": user.roles, "virtual_clusters": body.virtual_clusters},
        )
        return User.model_validate(user)

    async def _join(self, user_id: str, names: builtins.list[str]) -> None:
        clusters = VirtualClusterService(self._session)
        for name in names:
            if not await clusters.join(name, user_id):
                raise NotFound(NoSuchVirtualCluster(name=name))
