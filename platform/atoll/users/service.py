"""Rules of accounts."""

import builtins
import secrets
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Actor, record
from atoll.identity import passwords
from atoll.identity.accounts import add_account
from atoll.identity.caller import Caller
from atoll.identity.models import UserRow
from atoll.identity.permissions import Role
from atoll.identity.repository import IdentityRepository
from atoll.identity.schemas import User
from atoll.tasks.service import TaskService
from atoll.users.codes import LastAdministrator, NameTaken, NoSuchUser, OwnPassword
from atoll.users.schemas import Account, OneTimePassword, UserCreate
from atoll.virtual_clusters.codes import NoSuchVirtualCluster
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.conditional import expect
from atoll.web.errors import Conflict, NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page

# Without letters and digits that are taken for one another; 20 of 31 are 99 bits.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP = 4, 5


class UserService:
    """Accounts; the routes let only holders of users:read and users:manage in, the command line only operators."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._repository = IdentityRepository(session)
        self._tasks = TaskService(session)

    async def list(
        self, limit: int, cursor: str | None, *, words: str | None = None, active: bool | None = None
    ) -> Page[Account]:
        """Accounts by name."""
        found = await self._repository.users(limit + 1, decode(cursor), words=words, active=active)
        rows, following = cut(found, limit, lambda row: row.name)
        return Page(items=await self._described(rows), next_cursor=following)

    async def read(self, user_id: str) -> Account:
        """One account. Raises NotFound."""
        return await self._one(await self._row(user_id))

    async def id_of(self, name: str) -> str:
        """The id of the account of that name. Raises NotFound."""
        row = await self._repository.user_by_name(name)
        if row is None:
            raise NotFound(NoSuchUser(name=name))
        return row.id

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
        await self._record(caller, "user.create", user, roles=user.roles, virtual_clusters=body.virtual_clusters)
        return User.model_validate(user)

    async def disable(self, actor: Actor, user_id: str, if_match: str | None, *, stop_tasks: bool) -> Account:
        """Nobody signs in as this user any more, and what flows for them ends; their tasks go on unless asked for.

        Raises NotFound, Changed, Conflict for the last administrator who can sign in.
        """
        administrators = await self._repository.active_holders(Role.ADMIN)
        row = await self._row(user_id, if_match)
        if row.active:
            if [each.id for each in administrators] == [row.id]:
                raise Conflict(LastAdministrator(name=row.name))
            row.active = False
            sessions = await self._repository.end_sessions_of(row.id)
            stopped = await self._tasks.stop_all_of(actor, row.id) if stop_tasks else 0
            await self._record(actor, "user.disable", row, sessions=sessions, stopped_tasks=stopped)
        return await self._one(row)

    async def enable(self, actor: Actor, user_id: str, if_match: str | None) -> Account:
        """The user may sign in again. Raises NotFound, Changed."""
        row = await self._row(user_id, if_match)
        if not row.active:
            row.active = True
            await self._repository.forgive_name(row.name)
            await self._record(actor, "user.enable", row)
        return await self._one(row)

    async def reset_password(self, actor: Actor, user_id: str, if_match: str | None) -> OneTimePassword:
        """A one-time password, told this once; sessions end. Raises NotFound, Changed, Conflict for one's own."""
        if actor.id == user_id:
            raise Conflict(OwnPassword())
        password = "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))
        hashed = await passwords.hashed(password)
        row = await self._row(user_id, if_match)
        row.password_hash = hashed
        row.must_change_password = True
        sessions = await self._repository.end_sessions_of(row.id)
        await self._repository.forgive_name(row.name)
        await self._record(actor, "user.reset_password", row, sessions=sessions)
        return OneTimePassword(account=await self._one(row), password=password)

    async def end_sessions(self, actor: Actor, user_id: str, if_match: str | None) -> Account:
        """Sign the user out everywhere, and end what flows for them. Raises NotFound, Changed."""
        row = await self._row(user_id, if_match)
        sessions = await self._repository.end_sessions_of(row.id)
        await self._record(actor, "user.end_sessions", row, sessions=sessions)
        return await self._one(row)

    async def _row(self, user_id: str, if_match: str | None = None) -> UserRow:
        row = await self._repository.user(user_id, lock=True)
        if row is None:
            raise NotFound(NoSuchUser(name=user_id))
        expect(row, if_match)
        return row

    async def _one(self, row: UserRow) -> Account:
        await self._session.flush()
        return (await self._described([row]))[0]

    async def _described(self, rows: Sequence[UserRow]) -> builtins.list[Account]:
        ids = [row.id for row in rows]
        sessions, tasks = await self._repository.live_sessions_of(ids), await self._tasks.unfinished_of_each(ids)
        return [
            Account(
                **User.model_validate(row).model_dump(),
                must_change_password=row.must_change_password,
                version=row.version,
                sessions=sessions.get(row.id, 0),
                unfinished_tasks=tasks.get(row.id, 0),
            )
            for row in rows
        ]

    async def _record(self, actor: Actor, action: str, user: UserRow, **details: object) -> None:
        await record(self._session, actor, action, kind="user", identifier=user.id, name=user.name, details=details)

    async def _join(self, user_id: str, names: builtins.list[str]) -> None:
        clusters = VirtualClusterService(self._session)
        for name in names:
            if not await clusters.join(name, user_id):
                raise NotFound(NoSuchVirtualCluster(name=name))
