"""Running a program whose answer is a stranger's word: so many bytes of it are read, for so long, and no more."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from collections.abc import Sequence
from typing import IO, cast

CHUNK_BYTES = 64 << 10


class TooMuch(Exception):
    """The program said more than was to be read; it was ended."""


class TimedOut(Exception):
    """The program did not end in time; it was ended."""


def run(argv: Sequence[str], given: bytes, timeout_s: float, most_bytes: int) -> tuple[int, str, str]:
    """Run a program; return its exit code, output and errors, which have at most so many bytes together.

    Raises TooMuch, TimedOut, OSError.
    """
    deadline = time.monotonic() + timeout_s
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            output, errors = _talk(process, given, deadline, most_bytes)
            code = process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise TimedOut from None
        finally:
            process.kill()  # nothing, if it has ended
    return code, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")


def _talk(process: subprocess.Popen[bytes], given: bytes, deadline: float, most_bytes: int) -> tuple[bytes, bytes]:
    pipes = (process.stdin, process.stdout, process.stderr)
    stdin, stdout, stderr = cast("tuple[IO[bytes], IO[bytes], IO[bytes]]", pipes)
    said = {stdout: bytearray(), stderr: bytearray()}
    rest = memoryview(given)
    os.set_blocking(stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ)
        selector.register(stderr, selectors.EVENT_READ)
        selector.register(stdin, selectors.EVENT_WRITE)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimedOut
            for key, _ in selector.select(left):
                if key.fileobj is stdin:
                    with contextlib.suppress(BlockingIOError):
                        try:
                            rest = rest[os.write(stdin.fileno(), rest[:CHUNK_BYTES]) :]
                        except BrokenPipeError:  # it reads no more; what it says counts
                            rest = rest[:0]
                    if not rest:
                        selector.unregister(stdin)
                        with contextlib.suppress(BrokenPipeError):
                            stdin.close()
                    continue
                stream = stdout if key.fileobj is stdout else stderr
                chunk = os.read(stream.fileno(), CHUNK_BYTES)
                if not chunk:
                    selector.unregister(stream)
                said[stream] += chunk
                if sum(map(len, said.values())) > most_bytes:
                    raise TooMuch
    return bytes(said[stdout]), bytes(said[stderr])
