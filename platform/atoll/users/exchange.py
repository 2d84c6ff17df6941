"""What the command line and the program in a pod tell each other about a file of users.

The file comes behind its length. The answer goes back before anything is kept: who asked writes the passwords down and
says so; only then are the accounts there. So none is made whose password nobody has, wherever the connection breaks.
"""

import asyncio
import sys
import time
from concurrent.futures import Future
from threading import Thread
from typing import BinaryIO

from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.users.codes import NotWrittenDown
from atoll.users.csv_file import MOST_BYTES
from atoll.web.errors import Conflict

WRITTEN_DOWN = b"written down\n"
WAITED_S = 120.0  # nobody else makes an account meanwhile
_LOOKS_S = 5.0  # less than a transaction may be idle


class Kept(BaseModel):
    """The accounts are there."""

    kept: bool = True


def content(source: BinaryIO) -> bytes:
    """The file; one that is longer than is taken is cut off behind that, so that it is refused."""
    said = source.readline(16).strip()
    return source.read(min(int(said), MOST_BYTES + 1)) if said.isdigit() else b""


async def confirmed(session: AsyncSession, answer: BaseModel) -> None:
    """Tell the answer and wait until it was written down. Raises Conflict; the transaction then comes to nothing."""
    sys.stdout.write(answer.model_dump_json() + "\n")
    sys.stdout.flush()
    said = await _line(session)
    if said != WRITTEN_DOWN:
        raise Conflict(NotWrittenDown())


async def _line(session: AsyncSession) -> bytes:
    """What comes in, empty when nothing does in time."""
    heard: Future[bytes] = Future()
    # Not one of the loop's own threads: the process would wait for it when it ends.
    Thread(target=lambda: heard.set_result(sys.stdin.buffer.readline()), daemon=True).start()
    hearing = asyncio.wrap_future(heard)
    waited_until = time.monotonic() + WAITED_S
    while time.monotonic() < waited_until:
        if (await asyncio.wait({hearing}, timeout=_LOOKS_S))[0]:
            return hearing.result()
        await session.execute(text("SELECT 1"))
    return b""
