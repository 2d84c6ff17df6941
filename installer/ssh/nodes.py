"""Asking nodes things over SSH, many at a time: pinned host keys, the cluster's key, never a question."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from installer.bounded import TimedOut, TooMuch, run
from installer.errors import ToldError
from installer.exit_codes import UNAVAILABLE
from installer.ssh.options import jump_options, pinned_options

CONNECT_SECONDS = 5
# Of one answer, output and errors together: what a node says is a stranger's word, and many are asked at a time.
MOST_BYTES = 16 << 20
SHOWN_CHARACTERS = 2000  # of what a node says when something is wrong
Answer = TypeVar("Answer")


class NodeUnreachable(ToldError):
    """A node does not answer SSH, or refuses us."""

    exit_code = UNAVAILABLE

    def __init__(self, node: str, said: str) -> None:
        remedy = f"Check that `{node}` is on and answers SSH."
        super().__init__(f"node `{node}` cannot be asked over SSH: {said}", remedy)


class NodeNotBelieved(NodeUnreachable):
    """What a node answers is not what the program that was asked says: nothing of it counts."""

    def __init__(self, node: str, said: str) -> None:
        remedy = f"Look at `{node}` itself: what answers there is not what was installed, or somebody has changed it."
        super(NodeUnreachable, self).__init__(f"the answer of node `{node}` is not believed: {said}", remedy)


def printable(said: str) -> str:
    """Return lines of text with nothing that moves a terminal."""
    lines = said.replace("\r\n", "\n").split("\n")  # ssh ends its lines so
    return "\n".join(line if line.isprintable() else "".join(map(_printable, line)) for line in lines)


def _printable(one: str) -> str:
    return one if one.isprintable() or one == "\t" else "\N{REPLACEMENT CHARACTER}"


def shown(said: str, most: int = SHOWN_CHARACTERS) -> str:
    """Return what a node said, as it is put into a message: its beginning, and nothing that moves a terminal."""
    text = said.strip()
    return printable(text[:most]) + ("…" if len(text) > most else "")


@dataclass(frozen=True)
class SshNode:
    """How to reach a node."""

    name: str
    address: str
    user: str
    key_file: Path
    known_hosts: Path
    port: int = 22
    become: bool = False
    jump: str | None = None

    def arguments(self, command: Sequence[str]) -> list[str]:
        """Return the argument vector that runs a command on the node as root."""
        line = shlex.join(["sudo", "-n", *command] if self.become else list(command))
        options = {
            "ConnectTimeout": str(CONNECT_SECONDS),
            "LogLevel": "ERROR",
            "ServerAliveInterval": "15",
        }
        flags = [
            *pinned_options(self.known_hosts),
            *[word for name, value in options.items() for word in ("-o", f"{name}={value}")],
            *jump_options(self.jump, self.key_file, self.known_hosts, CONNECT_SECONDS),
        ]
        return ["ssh", *flags, "-i", str(self.key_file), "-p", str(self.port), f"{self.user}@{self.address}", line]

    def ask(
        self,
        command: Sequence[str],
        given: str | bytes = b"",
        timeout_s: float = 30,
        most_bytes: int = MOST_BYTES,
    ) -> tuple[int, str, str]:
        """Run a command; return its exit code, output and errors.

        Raises NodeUnreachable; NodeNotBelieved, when it says more than `most_bytes`.
        """
        stdin = given.encode() if isinstance(given, str) else given
        try:
            code, output, errors = run(self.arguments(command), stdin, timeout_s, most_bytes)
        except TimedOut:
            raise NodeUnreachable(self.name, f"no answer within {timeout_s:.0f} s") from None
        except TooMuch:
            raise NodeNotBelieved(self.name, f"it has more than {most_bytes >> 10} KiB") from None
        # ssh's own failures; a program on the node that ends so says no more by that than a node that does not answer,
        # and its words are no worse than those of a server that ssh repeats ("Received disconnect …: …").
        if code == 255:
            raise NodeUnreachable(self.name, shown(errors) or "the connection failed")
        return code, output, errors


def ask_all(
    nodes: Sequence[SshNode], question: Callable[[SshNode], Answer], at_once: int = 32
) -> dict[str, Answer | NodeUnreachable]:
    """Ask the nodes at the same time; the answer of a node that cannot be reached is its NodeUnreachable."""

    def one(node: SshNode) -> Answer | NodeUnreachable:
        try:
            return question(node)
        except NodeUnreachable as error:
            return error

    if not nodes:
        return {}
    with ThreadPoolExecutor(max_workers=min(at_once, len(nodes))) as pool:
        return dict(zip((node.name for node in nodes), pool.map(one, nodes), strict=True))
