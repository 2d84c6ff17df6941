"""How many workers there are at a time: altogether, so that the pod can hold them, and of each owner.

Who has as many as one may waits a moment for his own (where many ask at once, only a few of each owner do, and others
are refused at once); only then does he wait for those of others, so that nobody who holds all of his keeps another one
waiting.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from atoll.homes import codes
from atoll.web.errors import ApiError, TooMany, Unavailable

WAIT_S = 4.0  # with what a worker may take (`work.ANSWER_S`) less than the 30 s for which the other side waits
RETRY_AFTER_S = 5


@dataclass(frozen=True)
class Pool:
    """Workers of one sort: how many there are at most, and of each owner."""

    most: int
    per_owner: int
    waiting: int | None = None  # of each owner for his own; None: all that come


class Slots:
    """The places of one pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._all = asyncio.Semaphore(pool.most)
        self._owners: dict[str, _Owner] = {}

    @contextlib.asynccontextmanager
    async def taken(self, owner: str) -> AsyncIterator[None]:
        """Have one. Raises TooMany while the owner's are taken, Unavailable while all are."""
        limit = self._pool.per_owner
        own = self._owners.setdefault(owner, _Owner(asyncio.Semaphore(limit)))
        headers = {"Retry-After": str(RETRY_AFTER_S)}
        crowded = TooMany(codes.TooManyFileRequests(limit=limit), headers=headers)
        if self._pool.waiting is not None and own.here >= limit + self._pool.waiting:
            raise crowded
        own.here += 1
        try:
            async with (
                _soon(own.free, crowded),
                _soon(self._all, Unavailable(codes.FilesCrowded(), headers=headers)),
            ):
                yield
        finally:
            own.here -= 1
            if not own.here:
                del self._owners[owner]


@dataclass
class _Owner:
    """One who has or waits for some: `here` says how many."""

    free: asyncio.Semaphore
    here: int = 0


@contextlib.asynccontextmanager
async def _soon(places: asyncio.Semaphore, refusal: ApiError) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(WAIT_S):
            await places.acquire()
    except TimeoutError as error:
        raise refusal from error
    try:
        yield
    finally:
        places.release()
