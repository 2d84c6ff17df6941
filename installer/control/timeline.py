"""The events of a run as they are written, for a page that fills live."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
from anyio import to_thread

from installer.running.journal import FILE_NAME, is_being_written
from installer.running.lock import holder
from installer.running.runs import moment

LOOK_EVERY_SECONDS = 0.3
OTHERS_EVERY = 200  # events


async def timeline(folder: Path, after: int = 0) -> AsyncIterator[dict[str, str]]:
    """Return every event of a run behind the first `after`, and each new one until the run is over."""
    number = 0
    async with await anyio.open_file(folder / FILE_NAME, encoding="utf-8") as lines:
        rest = ""
        while True:
            text = rest + await lines.read()
            *complete, rest = text.split("\n")
            for line in complete:
                event = json.loads(line)
                number += 1
                if number % OTHERS_EVERY == 0:
                    await anyio.lowlevel.checkpoint()  # a long journal keeps nobody else from an answer
                if number > after:
                    yield _as_sent(event, number)
                if event["event"] == "finished":
                    return
            if not complete and not await to_thread.run_sync(_goes_on, folder):
                yield _as_sent({"event": "interrupted", "at": time.time()}, number + 1)
                return
            await anyio.sleep(LOOK_EVERY_SECONDS)


def _goes_on(folder: Path) -> bool:
    held = holder(folder.parent.parent)
    return (held is not None and held.get("run") == folder.name) or is_being_written(folder)


def _as_sent(event: dict[str, Any], number: int) -> dict[str, str]:
    name = event["event"]
    rest = {key: value for key, value in event.items() if key not in {"event", "at"}}
    return {
        "event": "run",
        "id": str(number),
        "data": json.dumps({"event": name, "at": moment(event["at"]), "data": rest}),
    }
