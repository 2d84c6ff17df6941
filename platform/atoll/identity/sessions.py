"""The own sessions: seen and ended by their user."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record
from atoll.identity.caller import Caller
from atoll.identity.models import SessionRow
from atoll.identity.repository import IdentityRepository
from atoll.identity.schemas import OwnSession, SessionsEnded
from atoll.web import told
from atoll.web.errors import NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class SessionService:
    """Sessions of the caller, who shows the one of `hashed_token`."""

    def __init__(self, session: AsyncSession, hashed_token: str) -> None:
        self._session = session
        self._hashed_token = hashed_token
        self._repository = IdentityRepository(session)

    async def list(self, caller: Caller, limit: int, cursor: str | None) -> Page[OwnSession]:
        """The newest first."""
        found = await self._repository.sessions_of(caller.id, limit + 1, decode(cursor))
        rows, following = cut(found, limit, lambda row: row.id)
        return Page(items=[self._described(row) for row in rows], next_cursor=following)

    async def end(self, caller: Caller, session_id: str) -> None:
        """End one; what flows for it ends within seconds. Raises NotFound."""
        ended = await self._repository.end_one_of(caller.id, session_id)
        if ended is None:
            raise NotFound(told.NotFound())
        device, address = ended
        await self._record(caller, "session.end", session_id, {"device": device, "address": address})

    async def end_others(self, caller: Caller) -> SessionsEnded:
        """End all but the one that is shown."""
        ended = await self._repository.end_sessions_of(caller.id, but=self._hashed_token)
        if ended:
            await self._record(caller, "session.end_others", "", {"sessions": ended})
        return SessionsEnded(ended=ended)

    def _described(self, row: SessionRow) -> OwnSession:
        return OwnSession(
            id=row.id,
            device=row.device,
            address=row.address,
            created_at=row.created_at,
            last_seen_at=row.last_seen_at,
            expires_at=row.expires_at,
            current=row.token_hash == self._hashed_token,
        )

    async def _record(self, caller: Caller, action: str, identifier: str, details: dict[str, object]) -> None:
        await record(
            self._session, caller, action, kind="session", identifier=identifier, name=caller.name, details=details
        )
