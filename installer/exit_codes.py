"""What the exit codes of `./atoll` mean."""

from __future__ import annotations

from pathlib import Path

OK = 0
FAILED = 1
SOMETHING_TO_DO = 2
BUSY = 3
USAGE = 64
BAD_FILE = 65
UNAVAILABLE = 69
INTERRUPTED = 130

MEANINGS = {
    OK: "done, or nothing to do",
    FAILED: "failed",
    SOMETHING_TO_DO: "plan: there is something to do",
    BUSY: "another run changes this cluster",
    USAGE: "wrong use of the command",
    BAD_FILE: "mistakes in cluster.yaml",
    UNAVAILABLE: "a node, or something on this machine that is needed, is not there",
    INTERRUPTED: "interrupted",
}

VERSION = (Path(__file__).resolve().parents[1] / "VERSION").read_text(encoding="utf-8").strip()


def explained() -> str:
    """Return all of them in one line."""
    return " · ".join(f"{code} {meaning}" for code, meaning in MEANINGS.items())
