"""Every query about idempotency keys."""

from datetime import datetime

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.web.models import IdempotencyRow


class IdempotencyRepository:
    """Keys of requests, by user."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def claim(self, user_id: str, key: str, request_hash: str) -> bool:
        """Take a key; False when it is taken. Waits for the transaction that is taking it."""
        claim = insert(IdempotencyRow).values(user_id=user_id, key=key, request_hash=request_hash)
        taken = await self._session.scalar(claim.on_conflict_do_nothing().returning(IdempotencyRow.key))
        return taken is not None

    async def get(self, user_id: str, key: str) -> IdempotencyRow | None:
        """What stands about a key."""
        return await self._session.get(IdempotencyRow, (user_id, key))

    async def forget(self, before: datetime) -> None:
        """Remove the keys that are older."""
        await self._session.execute(delete(IdempotencyRow).where(IdempotencyRow.created_at < before))
