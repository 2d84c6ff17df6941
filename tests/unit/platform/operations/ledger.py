"""A `jobs` with kinds of operations that keep a ledger of what they did: run as a process of its own by the tests."""

import asyncio
import os
import signal
from datetime import timedelta
from pathlib import Path
from typing import Any

from atoll.configuration import load
from atoll.homes.codes import FilesUnavailable
from atoll.jobs.application import application
from atoll.jobs.operations import Limits
from atoll.operations.handling import Failed, Work
from atoll.web.codes import ReasonCode
from atoll.web.domain import OperationKind
from atoll.web.errors import Unavailable
from atoll.web.internal import serve
from sqlalchemy import text

# No constraint keeps a line from being written twice: the tests look for it.
TABLE = "CREATE TABLE ledger (operation_id text, what text, attempt int, at timestamptz DEFAULT clock_timestamp())"


class Declined(ReasonCode, words="It is declined."):
    """A handler that says no."""


async def write(work: Work, what: str, *, checkpoint: dict[str, Any] | None = None, progress: float = 0) -> None:
    async with work.transaction() as session:
        await session.execute(
            text("INSERT INTO ledger (operation_id, what, attempt) VALUES (:id, :what, :attempt)"),
            {"id": work.id, "what": what, "attempt": work.attempt},
        )
        await work.store_in(session, checkpoint, progress=progress)


async def steps(work: Work) -> dict[str, Any]:
    """Writes a line per step, and goes on behind the last one."""
    count = work.parameters["steps"]
    for step in range((work.checkpoint or {}).get("done", 0), count):
        await asyncio.sleep(work.parameters.get("pause_s", 0.02))
        await write(work, f"step {step}", checkpoint={"done": step + 1}, progress=(step + 1) / count)
    return {"steps": count}


async def fragile(work: Work) -> None:
    """Cannot go on; leaves something half done until it is cleaned."""
    await write(work, "half done")
    await asyncio.sleep(work.parameters.get("pause_s", 0.1))
    async with work.transaction() as session:
        await session.execute(text("UPDATE ledger SET what = 'done' WHERE operation_id = :id"), {"id": work.id})


async def clean(work: Work) -> None:
    async with work.transaction() as session:
        await session.execute(
            text("DELETE FROM ledger WHERE operation_id = :id AND what = 'half done'"), {"id": work.id}
        )


async def waits(work: Work) -> None:
    """Ends only when it is told to; looks for that as a handler should."""
    await write(work, "half done")
    while True:
        work.check()
        await asyncio.sleep(0.05)


async def declines(work: Work) -> None:
    await write(work, "half done")
    raise Failed(Declined())


async def breaks(_work: Work) -> None:
    raise ValueError("a mistake in the program")


async def poison(work: Work) -> None:
    """Ends the process that works on it, each time."""
    await write(work, "half done")
    os.kill(os.getpid(), signal.SIGKILL)
    await asyncio.Event().wait()


async def knocks(work: Work) -> dict[str, Any]:
    """Needs a part of the platform that is away so many times."""
    await write(work, "knocked")
    if work.attempt <= work.parameters["times"]:
        raise Unavailable(FilesUnavailable(why="nobody is there"))
    return {}


KINDS = (
    OperationKind("test.steps", steps, resumable=True, at_once=50),
    OperationKind("test.fragile", fragile, clean, at_once=50),
    OperationKind("test.waits", waits, clean, at_once=50),
    OperationKind("test.declines", declines, clean),
    OperationKind("test.breaks", breaks),
    OperationKind("test.slow", waits, clean, max_hours=1 / 3600),
    OperationKind("test.poison", poison, clean, resumable=True),
    OperationKind("test.knocks", knocks, resumable=True, at_once=50),
    OperationKind("test.one", waits, clean, at_once=1),
)
MANY = Limits(workers=8, per_owner=50, altogether=50, fruitless=3, retry_s=0.2)

if __name__ == "__main__":
    from atoll.api.domains import DOMAINS

    real = [kind for domain in DOMAINS for kind in domain.operations]
    lease = timedelta(seconds=float(os.environ["LEASE_S"]))
    app = application(load(Path(os.environ["ATOLL_CONFIG"])), kinds=[*KINDS, *real], limits=MANY, lease=lease)
    serve(app, host="127.0.0.1", port=int(os.environ["ATOLL_PORT"]), tls=None)
