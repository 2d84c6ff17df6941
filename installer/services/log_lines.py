"""The end of a log: its last lines, as far as they fit into the memory of whoever asks. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable

MOST_BYTES = 1 << 20  # of one answer, all its sources together; put into words it takes 13 times as much
LINE_BYTES = 16 << 10
CUT = " [cut off]"


def lines_in(chunks: Iterable[bytes]) -> Generator[str]:
    """Yield the lines of what arrives in chunks; of a longer one than LINE_BYTES its beginning."""
    rest, dropping = b"", False
    for chunk in chunks:
        *complete, rest = (rest + chunk).split(b"\n")
        for line in complete:
            if not dropping:
                yield _text(line)
            dropping = False
        if len(rest) > LINE_BYTES:
            if not dropping:
                yield _text(rest)
            rest, dropping = b"", True
    if rest and not dropping:
        yield _text(rest)


def last(lines: Iterable[str], most_bytes: int) -> list[str]:
    """Return the last of the lines, of at most so many bytes together; where others are left out, say so."""
    kept: deque[str] = deque()
    held = left_out = 0
    for line in lines:
        kept.append(line)
        held += len(line.encode())
        while held > most_bytes:
            held -= len(kept.popleft().encode())
            left_out += 1
    note = [f"[{left_out} lines before these are left out: one answer has at most {MOST_BYTES >> 20} MiB]"]
    return [*(note if left_out else []), *kept]


def _text(line: bytes) -> str:
    return line[:LINE_BYTES].decode(errors="replace") + (CUT if len(line) > LINE_BYTES else "")
