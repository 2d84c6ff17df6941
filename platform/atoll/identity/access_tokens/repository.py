"""Every query about access tokens."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.base import now
from atoll.database.notifications import SESSIONS_ENDED, notify
from atoll.identity.models import AccessTokenRow, UserRow
from atoll.identity.repository import by_way
from atoll.identity.rights.repository import granted

KEPT_AFTER = timedelta(days=30)  # so long its owner sees that its time is over


class AccessTokenRepository:
    """Access tokens, each its owner's. One that ended early has no row any more; one whose time is over has, for a
    while, so that its owner sees why something does not work."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def live(self, token_hash: str) -> tuple[AccessTokenRow, UserRow, list[str]] | None:
        """A token that has not ended, of an active user, with its owner and all that these were granted."""
        query = (
            select(AccessTokenRow, UserRow, granted(UserRow.id))
            .join(UserRow, UserRow.id == AccessTokenRow.user_id)
            .where(AccessTokenRow.token_hash == token_hash, AccessTokenRow.expires_at > now(), UserRow.active)
        )
        found = (await self._session.execute(query)).first()
        return None if found is None else (found[0], found[1], found[2])

    async def holder(self, token_hash: str) -> tuple[str, datetime] | None:
        """The id of the user whose token it is, and when it ends."""
        query = select(AccessTokenRow.user_id, AccessTokenRow.expires_at)
        query = query.where(AccessTokenRow.token_hash == token_hash, AccessTokenRow.expires_at > now())
        found = (await self._session.execute(query)).first()
        return None if found is None else (found[0], found[1])

    async def used(self, token_id: str, address: str, since: datetime) -> None:
        """Keep that it was used now, from that address, unless it was kept after `since` already."""
        row = AccessTokenRow
        stale = or_(row.last_used_at.is_(None), row.last_used_at <= since)
        seen = update(row).where(row.id == token_id, stale).values(last_used_at=now(), last_used_address=address)
        await self._session.execute(seen.execution_options(synchronize_session=False))

    async def add(self, row: AccessTokenRow) -> None:
        """Keep a new one."""
        self._session.add(row)
        await self._session.flush()

    async def of_user(self, user_id: str, limit: int, before: str | None) -> Sequence[AccessTokenRow]:
        """Those of a user, the newest first, also those whose time is over."""
        query = select(AccessTokenRow).where(AccessTokenRow.user_id == user_id).order_by(AccessTokenRow.id.desc())
        if before is not None:
            query = query.where(AccessTokenRow.id < before)
        return (await self._session.scalars(query.limit(limit))).all()

    async def live_of(self, user_ids: Collection[str]) -> dict[str, int]:
        """How many each of these users has that have not ended."""
        query = (
            select(AccessTokenRow.user_id, func.count())
            .where(AccessTokenRow.user_id.in_(user_ids), AccessTokenRow.expires_at > now())
            .group_by(AccessTokenRow.user_id)
        )
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def end(self, user_id: str, token_id: str) -> AccessTokenRow | None:
        """End one of a user's, and what flows for it; None where the user has no such token."""
        row = AccessTokenRow
        ended = delete(row).where(row.id == token_id, row.user_id == user_id).returning(row)
        found: AccessTokenRow | None = await self._session.scalar(ended)
        if found is not None:
            await notify(self._session, SESSIONS_ENDED, user_id)
        return found

    async def end_all_of(self, user_id: str, *, ways: Collection[str] | None = None) -> int:
        """End all of a user's, and what flows for them; how many there were that had not ended.

        `ways`: only those that were made in sessions which were begun by one of these, or of which nobody knows how.
        """
        row = AccessTokenRow
        ended = delete(row).where(row.user_id == user_id)
        if ways is not None:
            ended = ended.where(by_way(row.way, ways))
        ends = (await self._session.scalars(ended.returning(row.expires_at))).all()
        if ends:
            await notify(self._session, SESSIONS_ENDED, user_id)
        return sum(end > now() for end in ends)

    async def forget_ended(self) -> None:
        """Drop those whose time is over for long."""
        await self._session.execute(delete(AccessTokenRow).where(AccessTokenRow.expires_at < now() - KEPT_AFTER))
