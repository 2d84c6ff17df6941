"""Work that outlasts a database that is away for a while."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from atoll.database.connection import AWAY

PAUSE_S = 2.0
TELL_EVERY_S = 60.0
Result = TypeVar("Result")
log = structlog.get_logger(__name__)


async def patiently(what: str, step: Callable[[], Awaitable[Result]], pause_s: float = PAUSE_S) -> Result:
    """Do `step`, and again every `pause_s` seconds while the database is away, which the log tells every minute.

    It must bear being done twice: of a commit whose answer was lost nobody knows whether it was made.
    """
    told_at: float | None = None
    while True:
        try:
            done = await step()
        except AWAY as error:
            if told_at is None or time.monotonic() > told_at + TELL_EVERY_S:
                log.warning("the database is away, going on when it is back", what=what, error=brief(error))
                told_at = time.monotonic()
            await asyncio.sleep(pause_s)
        else:
            if told_at is not None:
                log.info("the database is back", what=what)
            return done


def brief(error: BaseException) -> str:
    """Its first line; the statement is no news."""
    return (str(error) or type(error).__name__).splitlines()[0]
