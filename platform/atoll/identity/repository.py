"""Every query about users and sessions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, delete, func, insert, or_, select, update
from sqlalchemy.dialects.postgresql import array
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import contains_eager, lazyload, undefer, undefer_group

from atoll.database.base import now
from atoll.database.connection import wait_briefly
from atoll.database.many import one_of
from atoll.database.notifications import SESSIONS_ENDED, notify
from atoll.identity.models import (
    CONTACT,
    GroupMemberRow,
    KnownDeviceRow,
    SessionRow,
    SignInAttemptRow,
    UserRoleRow,
    UserRow,
)
from atoll.identity.names import RESERVED
from atoll.identity.rights.memberships import Memberships
from atoll.identity.rights.repository import direct_roles, granted, without_rights

_WITH_HASH = (undefer(UserRow.password_hash),)
_WITH_CONTACT = undefer_group(CONTACT)
# Not in the way of rows that name a user: of two administrators who change each other's accounts at once, each has one
# locked and names the other one in the audit.
_LOCK = {"key_share": True}
_PRESENT = UserRow.deleted_at.is_(None)


@dataclass(frozen=True, slots=True)
class Standing:
    """A user as a session shows them: the roles and virtual clusters as `[{"id", "name"}, …]`."""

    user: UserRow
    grants: list[str]
    roles: list[dict[str, str]]
    virtual_clusters: list[dict[str, str]]


class IdentityRepository:
    """Users, sessions, failed sign-ins."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def user_by_name(self, name: str, *, verifying: bool = False) -> UserRow | None:
        """The account that has that name, or had it; for verifying, with its password's hash."""
        query = select(UserRow).where(UserRow.name == name)
        found: UserRow | None = await self._session.scalar(query.options(*_WITH_HASH) if verifying else query)
        return found

    async def taken_names(self, names: Collection[str]) -> set[str]:
        """Those of the names that an account has, or had, or that are everywhere somebody else's."""
        had = await self._session.scalars(select(UserRow.name).where(UserRow.name.in_(names)))
        return {*had.all()} | ({*names} & RESERVED)

    async def has_rights(self, user_id: str) -> bool:
        """Whether somebody gave the user a role, or put them into a group."""
        return bool(await self._session.scalar(select(~without_rights()).where(UserRow.id == user_id)))

    async def names_had(self, names: Collection[str]) -> dict[str, bool]:
        """Those of the names that an account has, or had, and whether it was deleted."""
        query = select(UserRow.name, UserRow.deleted_at.is_not(None)).where(UserRow.name == one_of(names))
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def add_users(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add many accounts, each with all of its columns but the uid. Raises IntegrityError for a name that is had."""
        await self._session.execute(insert(UserRow), rows)

    async def user(self, user_id: str, *, lock: bool = False, verifying: bool = False) -> UserRow | None:
        """The account of that id; for verifying, with its password's hash."""
        options = _WITH_HASH if verifying else ()
        return await self._session.get(UserRow, user_id, options=options, with_for_update=_LOCK if lock else None)

    async def users(
        self,
        limit: int,
        after: str | None,
        *,
        words: str | None = None,
        active: bool | None = None,
        role: str | None = None,
        group: str | None = None,
        waiting: bool | None = None,
    ) -> Sequence[UserRow]:
        """Accounts by name, with how to reach their users; only those with all `words` in names or addresses.

        `role`: that were given it themselves. `waiting`: that could sign in, with no role and in no group
        yet, or only the others.
        """
        query = select(UserRow).where(_PRESENT).order_by(UserRow.name).limit(limit).options(_WITH_CONTACT)
        query = query.where(*holding(words, UserRow.name, UserRow.nickname, UserRow.email, UserRow.phone))
        if active is not None:
            query = query.where(UserRow.active == active)
        if role is not None:
            query = query.where(UserRow.id.in_(select(UserRoleRow.user_id).where(UserRoleRow.role_id == role)))
        if group is not None:
            query = query.where(UserRow.id.in_(select(GroupMemberRow.user_id).where(GroupMemberRow.group_id == group)))
        if waiting is not None:
            query = query.where(_waits() == waiting)
        if after is not None:
            query = query.where(UserRow.name > after)
        return (await self._session.scalars(query)).all()

    async def account(self, user_id: str, *, lock: bool = False) -> UserRow | None:
        """The account of that id, unless it was deleted, with how to reach its user."""
        query = select(UserRow).where(UserRow.id == user_id, _PRESENT).options(_WITH_CONTACT)
        if lock:
            query = query.with_for_update(key_share=True)
        found: UserRow | None = await self._session.scalar(query.execution_options(populate_existing=True))
        return found

    async def count(self, *, waiting: bool = False) -> int:
        """How many accounts there are; `waiting`: that could sign in, and that nobody gave any rights yet."""
        query = select(func.count()).select_from(UserRow).where(_PRESENT)
        if waiting:
            query = query.where(_waits())
        return await self._session.scalar(query) or 0

    async def forget_devices_of(self, user_id: str) -> None:
        """No device is known as one of the user any more."""
        await self._session.execute(delete(KnownDeviceRow).where(KnownDeviceRow.user_id == user_id))

    async def live_session(self, token_hash: str) -> tuple[UserRow, list[str], datetime] | None:
        """Whose session that is, of an active user and not ended, all that they were granted, when it was seen last."""
        query = select(UserRow, granted(UserRow.id), SessionRow.last_seen_at)
        query = query.join(SessionRow, SessionRow.user_id == UserRow.id)
        found = (await self._session.execute(query.where(*_lives(token_hash)))).first()
        return None if found is None else (found[0], found[1], found[2])

    async def seen(self, token_hash: str, address: str, since: datetime) -> None:
        """Keep that the session was seen now, at that address, unless it was kept after `since` already."""
        row = SessionRow
        seen = update(row).where(row.token_hash == token_hash, row.last_seen_at <= since)
        values = seen.values(last_seen_at=now(), address=address)
        await self._session.execute(values.execution_options(synchronize_session=False))

    async def sessions_of(self, user_id: str, limit: int, before: str | None) -> Sequence[SessionRow]:
        """Sessions of a user that have not ended, the newest first."""
        row = SessionRow
        query = select(row).where(row.user_id == user_id, row.expires_at > now()).order_by(row.id.desc())
        if before is not None:
            query = query.where(row.id < before)
        return (await self._session.scalars(query.options(lazyload(row.user)).limit(limit))).all()

    async def end_one_of(self, user_id: str, session_id: str) -> tuple[str, str] | None:
        """End one session of a user, and what flows for it: its device and address; None for one that there is not."""
        row = SessionRow
        ended = delete(row).where(row.id == session_id, row.user_id == user_id, row.expires_at > now())
        found = (await self._session.execute(ended.returning(row.device, row.address))).first()
        if found is None:
            return None
        await notify(self._session, SESSIONS_ENDED, user_id)
        return found[0], found[1]

    async def session_in_full(self, token_hash: str, memberships: Memberships) -> tuple[SessionRow, Standing] | None:
        """A session that has not ended, of an active user, with all that it shows."""
        query = (
            select(SessionRow, *_standing(memberships))
            .join(SessionRow.user)
            .options(contains_eager(SessionRow.user).undefer_group(CONTACT))
        )
        found = (await self._session.execute(query.where(*_lives(token_hash)))).first()
        return None if found is None else (found[0], Standing(found[0].user, *found[1:]))

    async def standing(self, user_id: str, memberships: Memberships) -> Standing:
        """What the session of a user shows that begins now."""
        query = select(UserRow, *_standing(memberships)).where(UserRow.id == user_id).options(_WITH_CONTACT)
        found = (await self._session.execute(query.execution_options(populate_existing=True))).one()
        return Standing(*found)

    async def holder(self, token_hash: str) -> tuple[str, datetime] | None:
        """The id of the user whose session it is, and when it ends."""
        query = select(SessionRow.user_id, SessionRow.expires_at)
        query = query.where(SessionRow.token_hash == token_hash, SessionRow.expires_at > now())
        found = (await self._session.execute(query)).first()
        return None if found is None else (found[0], found[1])

    async def way_of(self, token_hash: str) -> str | None:
        """By which way beside the password that session was begun: empty for the password, None: nobody knows."""
        found: str | None = await self._session.scalar(
            select(SessionRow.way).where(SessionRow.token_hash == token_hash)
        )
        return found

    async def proven_since(self, token_hash: str, moment: datetime, *, elsewhere: bool = False) -> bool:
        """Whether who sits at that session proved after `moment` who they are.

        `elsewhere`: only where a way beside the password led into it, for which all of these proofs were asked.
        """
        row = SessionRow
        query = select(row.user_id).where(row.token_hash == token_hash, row.proven_at > moment)
        return await self._session.scalar(query.where(row.way != "") if elsewhere else query) is not None

    async def proven(self, token_hash: str) -> None:
        """Keep that who sits at that session proved now who they are."""
        proven = update(SessionRow).where(SessionRow.token_hash == token_hash).values(proven_at=now())
        await self._session.execute(proven.execution_options(synchronize_session=False))

    async def end_session(self, token_hash: str) -> None:
        """End one session, and what flows for it."""
        ended = delete(SessionRow).where(SessionRow.token_hash == token_hash).returning(SessionRow.user_id)
        user_id = await self._session.scalar(ended)
        if user_id is not None:
            await notify(self._session, SESSIONS_ENDED, user_id)

    async def end_sessions_of(
        self, user_id: str, *, but: str | None = None, ways: Collection[str] | None = None
    ) -> int:
        """End every session of a user (but the one of that hash) and what flows for it; how many there were.

        `ways`: only those that were begun by one of these, or of which nobody knows how.
        """
        ended = delete(SessionRow).where(SessionRow.user_id == user_id)
        if but is not None:
            ended = ended.where(SessionRow.token_hash != but)
        if ways is not None:
            ended = ended.where(by_way(SessionRow.way, ways))
        found = (await self._session.scalars(ended.returning(SessionRow.expires_at))).all()
        await notify(self._session, SESSIONS_ENDED, user_id)
        return sum(expires_at > now() for expires_at in found)

    async def live_sessions_of(self, user_ids: Collection[str]) -> dict[str, int]:
        """How many sessions each of these users has."""
        query = (
            select(SessionRow.user_id, func.count())
            .where(SessionRow.user_id.in_(user_ids), SessionRow.expires_at > now())
            .group_by(SessionRow.user_id)
        )
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def forget_ended(self, before: datetime, failures_before: datetime) -> None:
        """Drop sessions and failures that no longer count."""
        await self._session.execute(delete(SessionRow).where(SessionRow.expires_at < before))
        await self._session.execute(delete(SignInAttemptRow).where(SignInAttemptRow.at < failures_before))
        await self._session.execute(delete(KnownDeviceRow).where(KnownDeviceRow.expires_at < before))

    async def known_device(self, token_hash: str, name: str) -> str | None:
        """The id under which that device is known as one of the user of that name."""
        query = (
            select(KnownDeviceRow.id)
            .join(UserRow, UserRow.id == KnownDeviceRow.user_id)
            .where(KnownDeviceRow.token_hash == token_hash, KnownDeviceRow.expires_at > now(), UserRow.name == name)
        )
        found: str | None = await self._session.scalar(query)
        return found

    async def device_of_somebody(self, token_hash: str) -> str | None:
        """The id under which that device is known as one of anybody who was given rights: of several, the oldest."""
        query = (
            select(func.min(KnownDeviceRow.id))
            .join(UserRow, UserRow.id == KnownDeviceRow.user_id)
            .where(KnownDeviceRow.token_hash == token_hash, KnownDeviceRow.expires_at > now())
            .where(UserRow.active, ~without_rights())
        )
        found: str | None = await self._session.scalar(query)
        return found

    async def know_device(
        self, user_id: str, token_hash: str, before: str | None, expires_at: datetime, most: int
    ) -> None:
        """From now on the device is a known one of the user; what was known of it under `before` holds for it, too."""
        if before is not None:
            of_user = KnownDeviceRow.user_id == user_id
            await self._session.execute(delete(KnownDeviceRow).where(KnownDeviceRow.token_hash == before, of_user))
            await self._session.execute(
                update(KnownDeviceRow).where(KnownDeviceRow.token_hash == before).values(token_hash=token_hash)
            )
        self._session.add(KnownDeviceRow(token_hash=token_hash, user_id=user_id, expires_at=expires_at))
        await self._session.flush()
        newest = (
            select(KnownDeviceRow.id)
            .where(KnownDeviceRow.user_id == user_id)
            .order_by(KnownDeviceRow.seen_at.desc())
            .limit(most)
        )
        await self._session.execute(
            delete(KnownDeviceRow).where(KnownDeviceRow.user_id == user_id, KnownDeviceRow.id.not_in(newest))
        )

    async def attempts(self, key: str, window: timedelta) -> int:
        """How often `key` was counted within `window`."""
        query = select(func.count()).where(SignInAttemptRow.key == key, SignInAttemptRow.at > now() - window)
        return await self._session.scalar(query) or 0

    async def judge_alone(self) -> None:
        """Until the transaction ends, nobody else's password is judged: each judgement sees the failures before it.

        So from then on the transaction waits for nothing else for long.
        """
        await self._session.execute(select(func.lock_judging()))
        await wait_briefly(self._session)

    async def forgive_name(self, name: str) -> None:
        """Forget all that was counted of that name, wherever it came from."""
        key = SignInAttemptRow.key
        of_name = or_(key.in_([f"name:{name}", f"succeeded:{name}"]), key.startswith(f"pair:{name}@"))
        await self._session.execute(delete(SignInAttemptRow).where(of_name))

    async def forgive(self, key: str) -> None:
        """Forget the failures of `key`."""
        await self._session.execute(delete(SignInAttemptRow).where(SignInAttemptRow.key == key))


def by_way(column: SQLColumnExpression[str | None], ways: Collection[str]) -> ColumnElement[bool]:
    """What came by one of these ways into an account, or from before that was kept."""
    return or_(column.in_(ways), column.is_(None))


def holding(words: str | None, *columns: SQLColumnExpression[str]) -> list[ColumnElement[bool]]:
    """Users who have each of the words in one of the columns, which are of names and addresses.

    The second condition of a word is so of all whom the first is about; it has an index (`ix_users_words`).
    """
    grams: ColumnElement[Any] = func.grams(array((UserRow.name, UserRow.nickname, UserRow.email, UserRow.phone)))
    found: list[ColumnElement[bool]] = []
    for word in (words or "").split():
        found.append(or_(*(column.icontains(word, autoescape=True) for column in columns)))
        found.append(grams.op("@>")(func.sought(word)))
    return found


def _waits() -> ColumnElement[bool]:
    """Whether a user could sign in, and nobody gave them any rights yet."""
    return and_(UserRow.active, without_rights())


def _lives(token_hash: str) -> tuple[SQLColumnExpression[bool], ...]:
    return SessionRow.token_hash == token_hash, SessionRow.expires_at > now(), UserRow.active


def _standing(memberships: Memberships) -> tuple[ColumnElement[Any], ...]:
    return granted(UserRow.id), direct_roles(UserRow.id), memberships.of(UserRow.id)
