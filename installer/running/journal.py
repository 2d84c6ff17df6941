"""The journal of a run: one JSON object per line in `runs/<run id>/journal.jsonl`, written as it happens.

Lines: `started`, `plan`, `phase`, `task`, `phase_finished`, `failure`, `finished`. No secret gets in (redaction.py).
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from installer.redaction import Redactor
from installer.running import lock_file

FILE_NAME = "journal.jsonl"
LOOKED_AT_SECONDS = 1.0  # far longer than `is_being_written` has the lock


def new_run_id() -> str:
    """Name a run; names sort by time."""
    at = time.time()
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(at))}-{int(at % 1 * 65536):04x}"


class Journal:
    """Appends lines to the journal of one run (and hands them to `also`), each before the next thing happens."""

    def __init__(self, run_directory: Path, redactor: Redactor, also: Callable[[str], None] | None = None) -> None:
        run_directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(run_directory / FILE_NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        # It falls with this process, so that others see whether it goes on. Who looks just now has it for a moment.
        lock_file.take(handle, LOOKED_AT_SECONDS)
        self._file = os.fdopen(handle, "w", encoding="utf-8")
        self._redactor = redactor
        self._also = also

    def write(self, event: str, **fields: Any) -> dict[str, Any]:
        """Append one line; return what was written, without secrets."""
        line: dict[str, Any] = {"at": round(time.time(), 3), "event": event, **self._redactor.data(fields)}
        text = json.dumps(line, ensure_ascii=False) + "\n"
        self._file.write(text)
        self._file.flush()
        if self._also:
            self._also(text)
        return line

    def close(self) -> None:
        """Close the file; its content is safe on the disk then."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def cut_torn_line(journal: Path) -> None:
    """Cut off a last line that a kill left incomplete, so that lines may be appended again."""
    content = journal.read_bytes()
    if not content.endswith(b"\n"):
        journal.write_bytes(content[: content.rfind(b"\n") + 1])


def is_being_written(run_directory: Path) -> bool:
    """Say whether a process of this machine has the journal open to write it."""
    try:
        handle = os.open(run_directory / FILE_NAME, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(handle)


def read(run_directory: Path) -> Iterator[dict[str, Any]]:
    """Return the lines of a journal; a last line that was cut off by a kill is left out."""
    path = run_directory / FILE_NAME
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if not line.endswith("\n"):
                return
            yield json.loads(line)
