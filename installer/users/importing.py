"""Users from a file: the platform looks at it, and makes them once their initial passwords are written down here.

The file goes through the input of the platform's program, the passwords come through its output: neither is seen in a
list of processes, nor on the screen. The program keeps nothing before it hears that the passwords are in their file
(`atoll.users.exchange`), so there is no account whose password nobody has.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from installer.cluster import Cluster
from installer.users.errors import PlatformUnavailable, UsersError
from installer.users.in_cluster import refused, talking

# As the platform has them: tests/unit/contracts holds both together.
MOST_BYTES = 4 << 20
WRITTEN_DOWN = b"written down\n"
HEADS = {
    "en": "User name,Nickname,Phone,E-mail,Roles,Groups,Virtual clusters",
    "zh": "用户名,昵称,电话,电子邮件,角色,用户组,虚拟集群",
}


class Mistakes(UsersError):
    """What the file has wrong, place by place."""

    def __init__(self, message: str, remedy: str, errors: Sequence[dict[str, Any]]) -> None:
        super().__init__(message, remedy)
        self.errors = errors


class Unsure(UsersError):
    """Nobody knows whether the accounts are there."""


def content_of(file: Path) -> bytes:
    """Return what is in the file. Raises UsersError."""
    try:
        with file.open("rb") as source:
            content = source.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsersError(f"{file}: cannot be read ({error.strerror}).") from error
    if len(content) > MOST_BYTES:
        raise UsersError(f"{file} is larger than {MOST_BYTES >> 20} MiB.", "Part it into several files.")
    return content


def looked_at(cluster: Cluster, content: bytes, arguments: Sequence[str]) -> dict[str, Any]:
    """Return what the platform would make of it; nothing changes. Raises UsersError."""
    with talking(cluster, ["import", "--dry-run", *arguments]) as talk:
        talk.tell(_framed(content))
        return _sound(talk.hear())


def made(cluster: Cluster, content: bytes, arguments: Sequence[str], passwords: Path) -> dict[str, Any]:
    """Make the accounts; their initial passwords are in the file `passwords` then, which must not be there before.

    Where none was made there is no such file afterwards. Raises UsersError; Unsure keeps the file.
    """
    with _new(passwords) as file, talking(cluster, ["import", *arguments]) as talk:
        talk.tell(_framed(content))
        answer = _sound(talk.hear())
        file.write(answer["passwords"])
        file.keep = bool(answer["passwords"])  # whatever happens from here on: they may be those of accounts
        talk.tell(WRITTEN_DOWN)
        try:
            last = talk.hear()
        except PlatformUnavailable as error:
            raise Unsure(
                f"The platform did not say whether it made the accounts: {error.message}",
                f"The passwords are in {passwords}. Import the same file again with --skip-existing and another file"
                " for passwords: it says who is there already, and makes the others.",
            ) from error
        if "code" in last:
            file.keep = False
        _sound(last)
        return answer


def _framed(content: bytes) -> bytes:
    return f"{len(content)}\n".encode() + content


def _sound(answer: dict[str, Any]) -> dict[str, Any]:
    if "code" not in answer:
        return answer
    told = refused(answer)
    if errors := answer.get("errors"):
        raise Mistakes(told.message, told.remedy, errors)
    raise told


class _Passwords:
    """A file for nobody else's eyes."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.keep = False

    def write(self, passwords: Sequence[dict[str, str]]) -> None:
        """Write them down so that they outlast a power cut."""
        lines = csv.writer(self._file, lineterminator="\r\n")
        lines.writerow(["User name", "Initial password"])
        lines.writerows((each["name"], each["password"]) for each in passwords)
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def _new(path: Path) -> Iterator[_Passwords]:
    """Make the file; it goes again unless it is to be kept. Raises UsersError."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UsersError(f"{path} is there already.", "Name a file for the passwords that is not there yet.") from None
    except OSError as error:
        raise UsersError(f"{path}: cannot be made ({error.strerror}).") from error
    with os.fdopen(opened, "w", encoding="utf-8", newline="") as file:
        passwords = _Passwords(file)
        try:
            yield passwords
        finally:
            if not passwords.keep:
                path.unlink(missing_ok=True)
