"""Whether the user data can be reached from this process, asked so that a server that hangs holds up nobody."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import threading
from pathlib import Path

ANSWERS_WITHIN_S = 3.0
# What a mount says whose client has ended. One that is made in its place is not seen by a container that runs already.
ENDED = frozenset({errno.ENOTCONN, errno.ESTALE})


class Mount:
    """The root of the user data, looked at by one thread at a time."""

    def __init__(self, root: Path, answers_within_s: float = ANSWERS_WITHIN_S) -> None:
        self._root = root
        self._within_s = answers_within_s
        self._look: asyncio.Future[OSError | None] | None = None

    async def obstacle(self) -> str | None:
        """Say why nothing can be read there, or None."""
        try:
            error = await self._looked()
        except TimeoutError:
            return f"{self._root} does not answer: is the storage server there?"
        if error is None:
            return None
        return f"{self._root} is not there ({error.strerror}): is the storage mounted?"

    async def ended(self) -> str | None:
        """Say that no answer can ever come, since the mount that this container was started with has ended; or None."""
        try:
            error = await self._looked()
        except TimeoutError:
            return None
        if error is None or error.errno not in ENDED:
            return None
        return f"the mount at {self._root} has ended: only a new container sees the one that is made in its place"

    async def _looked(self) -> OSError | None:
        """Return what is wrong; raise TimeoutError while a look, this or an earlier one, has no answer."""
        if self._look is None or self._look.done():
            self._look = asyncio.get_running_loop().create_future()
            # Of the kind that nobody waits for when the process ends: a look that hangs cannot be ended.
            threading.Thread(target=self._enter, args=(self._look,), daemon=True).start()
        return await asyncio.wait_for(asyncio.shield(self._look), self._within_s)

    def _enter(self, look: asyncio.Future[OSError | None]) -> None:
        found: OSError | None = None
        try:
            (self._root / ".").stat()
        except OSError as error:
            found = error
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            look.get_loop().call_soon_threadsafe(look.set_result, found)
