"""The lock file of a cluster: how it is taken, read and written, here and on a master, by this one file.

Its source is sent to a master as it is (`mirror.py`), so it needs Python 3.8 and the standard library only. Run there,
it holds the lock for a run that goes on elsewhere and writes that run's journal, until the connection ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from typing import Any

BUSY = 3  # installer/exit_codes.py
LOOK_EVERY_SECONDS = 0.2  # flock has no time limit of its own


def take(handle: int, wait_seconds: float, ours: str | None = None) -> bool:
    """Take the lock; return False if another has it until the time is over, or has it for the run `ours`."""
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= deadline or (ours is not None and read(handle).get("run") == ours):
                return False
        time.sleep(LOOK_EVERY_SECONDS)


def read(handle: int) -> dict[str, Any]:
    """Return what the file says."""
    text = os.pread(handle, 65536, 0).decode(errors="replace")
    try:
        # Only the first object: the rest of a longer one may follow if its writer was killed before it cut the file.
        content, _ = json.JSONDecoder().raw_decode(text or "{}")
    except ValueError:  # torn by a power cut, which also ended every process that it could name
        return {}
    return content if isinstance(content, dict) else {}


def write(handle: int, content: dict[str, Any]) -> None:
    """Replace what the file says."""
    text = json.dumps(content).encode() + b"\n"
    os.pwrite(handle, text, 0)
    os.ftruncate(handle, len(text))
    os.fsync(handle)


def of_writer(run: str, verb: str, earlier: dict[str, Any]) -> dict[str, Any]:
    """Return what this process writes into the lock that it has taken after `earlier`."""
    return {
        "run": run,
        "verb": verb,
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        # Grows with every writer, so that journals order themselves whatever the clocks say.
        "fence": int(earlier.get("fence", 0)) + 1,
        "writer": {"pid": os.getpid(), "started": start_ticks(os.getpid()), "boot": boot_id()},
        "playbook": None,
        "done": False,
    }


def start_ticks(pid: int) -> int | None:
    """Return when a process started, in clock ticks after boot; None if there is none, or only its zombie."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            # Behind the name, which may hold blanks and brackets.
            fields = stat.read().rpartition(") ")[2].split()
    except OSError:
        return None
    return None if fields[0] in {"Z", "X"} else int(fields[19])


def boot_id() -> str:
    """Return the kernel's name for this boot."""
    with open("/proc/sys/kernel/random/boot_id") as boot:
        return boot.read().strip()


def hold_for_another(folder: str, run: str, verb: str, wait_seconds: float) -> int:
    """Hold the lock and write the journal that arrives on stdin. The first line of output is `ready` or `busy …`."""
    os.umask(0o077)
    os.makedirs(os.path.join(folder, "runs", run), exist_ok=True)
    lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
    if not take(lock, wait_seconds, run):
        if read(lock).get("run") == run:
            # Whoever asks runs on this very master and holds the lock and the journal itself.
            _answer("ready")
            sys.stdin.read()
            return 0
        _answer("busy " + json.dumps(read(lock)))
        return BUSY
    content = of_writer(run, verb, read(lock))
    write(lock, content)
    _answer("ready")
    with open(os.path.join(folder, "runs", run, "journal.jsonl"), "a") as journal:
        for line in sys.stdin:
            journal.write(line)
            journal.flush()
    write(lock, dict(content, done=True))
    return 0


def _answer(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(hold_for_another(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4])))
