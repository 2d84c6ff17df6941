"""Every query about users and sessions."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.base import now
from atoll.identity.models import SessionRow, SignInFailureRow, UserRow

# The number of the database's lock under which sign-ins are judged, the same in every replica of the API.
_JUDGING = 0x6964656E74697479


class IdentityRepository:
    """Users, sessions, failed sign-ins."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def user_by_name(self, name: str) -> UserRow | None:
        """The account of that name."""
        found: UserRow | None = await self._session.scalar(select(UserRow).where(UserRow.name == name))
        return found

    async def user(self, user_id: str, *, lock: bool = False) -> UserRow | None:
        """The account of that id."""
        return await self._session.get(UserRow, user_id, with_for_update=lock)

    async def users(self, limit: int, after: str | None) -> Sequence[UserRow]:
        """Accounts by name."""
        query = select(UserRow).order_by(UserRow.name).limit(limit)
        if after is not None:
            query = query.where(UserRow.name > after)
        return (await self._session.scalars(query)).all()

    async def live_session(self, token_hash: str) -> SessionRow | None:
        """A session that has not ended, of an active user."""
        query = (
            select(SessionRow)
            .join(SessionRow.user)
            .where(SessionRow.token_hash == token_hash, SessionRow.expires_at > now(), UserRow.active)
        )
        found: SessionRow | None = await self._session.scalar(query)
        return found

    async def end_session(self, token_hash: str) -> None:
        """End one session."""
        await self._session.execute(delete(SessionRow).where(SessionRow.token_hash == token_hash))

    async def end_sessions_of(self, user_id: str) -> None:
        """End every session of a user."""
        await self._session.execute(delete(SessionRow).where(SessionRow.user_id == user_id))

    async def forget_ended(self, before: datetime, failures_before: datetime) -> None:
        """Drop sessions and failures that no longer count."""
        await self._session.execute(delete(SessionRow).where(SessionRow.expires_at < before))
        await self._session.execute(delete(SignInFailureRow).where(SignInFailureRow.at < failures_before))

    async def failures(self, key: str, window: timedelta) -> int:
        """How often sign-in failed for `key` within `window`."""
        query = select(func.count()).where(SignInFailureRow.key == key, SignInFailureRow.at > now() - window)
        return await self._session.scalar(query) or 0

    async def judge_alone(self) -> None:
        """Until the transaction ends, nobody else's password is judged: each judgement sees the failures before it."""
        await self._session.execute(select(func.pg_advisory_xact_lock(_JUDGING)))

    async def forgive(self, key: str) -> None:
        """Forget the failures of `key`."""
        await self._session.execute(delete(SignInFailureRow).where(SignInFailureRow.key == key))
