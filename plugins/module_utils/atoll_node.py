"""What every module of this project shares on a node: the lock, the book of managed things, atomic writes.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import errno
import fcntl
import grp
import hashlib
import json
import os
import pwd
import subprocess
import tempfile
import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

STATE = "/var/lib/atoll"
LOCK_S = 900
SHOWN_LETTERS = 160
HASHED_AGAIN_BYTES = 4 << 20

PATH = "/opt/atoll/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Arguments that every module of ours takes.
COMMON_ARGUMENTS = {"state_directory": {"type": "path", "default": STATE}}


class NodeError(Exception):
    """What went wrong on the node, in words for a person."""


@contextmanager
def locked(state: str, wanted: bool = True, timeout_s: float = LOCK_S) -> Iterator[Optional[int]]:
    """Hold the node's lock; yield its file descriptor, so that a child may hold it beyond a killed parent.

    What a killed run left running on this node still holds it: the next run waits for its end.
    """
    if not wanted:  # check mode writes nothing, so it needs no lock
        yield None
        return
    os.makedirs(state, mode=0o755, exist_ok=True)
    path = os.path.join(state, "lock")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        end = time.monotonic() + timeout_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    holder = os.pread(descriptor, 64, 0).decode(errors="replace").strip() or "unknown"
                    raise NodeError(
                        "another Ansible module (pid {}) has been changing this node for more than {:.0f} s. "
                        "See what it waits for (`ps -f {}`), end it, then apply again.".format(
                            holder, timeout_s, holder
                        )
                    ) from None
                time.sleep(0.1)  # flock has no time-out of its own
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def run(
    argv: Sequence[str],
    stdin: Optional[str] = None,
    accept: Sequence[int] = (0,),
    timeout_s: float = 300,
    env: Optional[Dict[str, str]] = None,
    pass_fds: Sequence[int] = (),
) -> str:
    """Run a program and return its output; raise NodeError with its last lines on any other exit code."""
    environment = {"PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": "/root"}
    environment.update(env or {})
    try:
        done = subprocess.run(
            list(argv),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            encoding="utf-8",
            errors="replace",
            env=environment,
            timeout=timeout_s,
            pass_fds=tuple(pass_fds),
            check=False,
        )
    except FileNotFoundError:
        raise NodeError("{} is not installed on this node".format(argv[0])) from None
    except subprocess.TimeoutExpired:
        raise NodeError("`{}` did not end within {:.0f} s".format(shown(argv), timeout_s)) from None
    if done.returncode not in accept:
        said = "\n".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-15:])
        raise NodeError("`{}` failed with exit code {}: {}".format(shown(argv), done.returncode, said))
    return done.stdout


def shown(argv: Sequence[str]) -> str:
    """Return a command line for a person: its beginning, if it is long."""
    line = " ".join(argv)
    return line if len(line) <= SHOWN_LETTERS else line[:SHOWN_LETTERS] + " …"


def digest_of_bytes(content: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(content).hexdigest()


def digest_of_file(path: str) -> Optional[str]:
    """Return the SHA-256 of a regular file's content, None if there is no such file."""
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    sha = hashlib.sha256()
    with open(path, "rb") as stream:
        for chunk in iter(lambda: stream.read(1 << 20), b""):
            sha.update(chunk)
    return sha.hexdigest()


def stamp_of(path: str) -> Optional[str]:
    """Return what tells that a file was written again without reading it: size and time of modification."""
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return "{}:{}".format(seen.st_size, seen.st_mtime_ns)


def complaint(check: List[str], accept: Sequence[int] = (0,)) -> str:
    """Return what a program says that is not as it should be, nothing where it ends with one of these codes."""
    try:
        run(check, accept=accept, timeout_s=30)
    except NodeError as error:
        return str(error).strip() or "{} fails".format(check[0])
    return ""


def dead_mount(path: str) -> bool:
    """Say whether a file system is mounted there whose program has ended, or whose server knows it no more."""
    try:
        os.stat(path)
    except OSError as error:
        return error.errno in (errno.ENOTCONN, errno.ESTALE)
    return False


def attributes_of(path: str) -> Optional[Dict[str, str]]:
    """Return mode, owner and group of what lies at a path itself (a link is not followed)."""
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    return {"mode": "{:04o}".format(seen.st_mode & 0o7777), "owner": _user(seen.st_uid), "group": _group(seen.st_gid)}


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def ids_of(owner: str, group: str) -> Tuple[int, int]:
    """Return the numbers of an owner and a group given by name or number."""
    try:
        uid = int(owner) if owner.isdigit() else pwd.getpwnam(owner).pw_uid
        gid = int(group) if group.isdigit() else grp.getgrnam(group).gr_gid
    except KeyError as error:
        raise NodeError("this node has no such user or group: {}".format(error.args[0])) from None
    return uid, gid


def write_atomically(
    path: str, content: bytes, mode: int = 0o600, ids: Optional[Tuple[int, int]] = None, sync: bool = True
) -> None:
    """Write a file so that every reader sees either the old or the new one, whole."""
    with replacing(path, mode, ids, sync) as stream:
        stream.write(content)


@contextmanager
def replacing(path: str, mode: int, ids: Optional[Tuple[int, int]], sync: bool = True) -> Iterator[Any]:
    """Yield a stream whose content takes the place of `path` at the end, and nothing does after an error."""
    directory = os.path.dirname(path)
    descriptor, temporary = tempfile.mkstemp(prefix=".atoll-", dir=directory)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            if ids is not None:
                os.fchown(stream.fileno(), *ids)
            if sync:
                os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def sync_directory(path: str) -> None:
    """Have the disk know which files a directory holds: without it a power cut may bring an older one back."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def block_of(text: str, name: str) -> Optional[str]:
    """Return the lines between the marks of a block, None if it is not there."""
    begin, end = _marks(name)
    _, found, rest = text.partition(begin)
    content, closed, _ = rest.partition(end)
    return content if found and closed else None


def with_block(text: str, name: str, content: str) -> str:
    """Return a text with a block in it: in its place, or at the end. Raises NodeError if nothing says where it ends."""
    begin, end = _marks(name)
    text += "" if not text or text.endswith("\n") else "\n"
    before, found, rest = text.partition(begin)
    if not found:
        return text + begin + content + end
    _, closed, after = rest.partition(end)
    if not closed:
        raise NodeError(
            "the line `{}` is gone, so nobody knows which lines behind `{}` are not ours. Put the line back behind the "
            "last one that Atoll wrote, then apply again.".format(end.strip(), begin.strip())
        )
    return before + begin + content + end + after


def _marks(name: str) -> Tuple[str, str]:
    return "# begin: {} (written by Atoll)\n".format(name), "# end: {}\n".format(name)


def read_text(path: str) -> str:
    """Return a file's text, nothing if there is no such file."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""


class Book:
    """What a phase manages on this node: `managed/<phase>.json`, read by `atoll_probe`.

    Sections: `directories`, `files`, `links`, `units`, `packages`, `images`, each a dict by path or name; `objects` is
    a dict of parts, each a list of objects.
    """

    def __init__(self, state: str, phase: str) -> None:
        self.path = os.path.join(state, "managed", "{}.json".format(phase))
        self.content = read_json(self.path) or {}
        self._before = json.dumps(self.content, sort_keys=True)

    def section(self, name: str) -> Dict[str, Any]:
        """Return a section to read and change."""
        section: Dict[str, Any] = self.content.setdefault(name, {})
        return section

    def save(self) -> None:
        """Write the book if anything in it changed; the lock must be held."""
        content = {name: section for name, section in self.content.items() if section}
        if json.dumps(content, sort_keys=True) == self._before:
            return
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        write_atomically(self.path, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())
        self._before = json.dumps(content, sort_keys=True)


def read_json(path: str) -> Any:
    """Return the content of a JSON file, None if it is not there; a broken one is an error that names it."""
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise NodeError("{} is not JSON ({}). Remove it, then apply again.".format(path, error)) from None


def file_record(path: str, sha256: Optional[str]) -> Dict[str, Any]:
    """Return what the book keeps of a file; large ones with a stamp that saves reading them again."""
    record: Dict[str, Any] = {"sha256": sha256}
    record.update(attributes_of(path) or {})
    seen = os.stat(path)
    if seen.st_size >= HASHED_AGAIN_BYTES:
        record["stamp"] = [seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns]
    return record


def known_digest(path: str, record: Optional[Dict[str, Any]]) -> Optional[str]:
    """Return a file's digest, from the book where its stamp (ctime: nobody can set it) says that it was not touched.

    Of a file of which we only own a block, the block counts.
    """
    if record and record.get("block"):
        block = block_of(read_text(path), record["block"])
        return None if block is None else digest_of_bytes(block.encode(errors="surrogateescape"))
    if record and record.get("stamp") and record["sha256"] and os.path.isfile(path) and not os.path.islink(path):
        seen = os.stat(path)
        if record["stamp"] == [seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns]:
            known: str = record["sha256"]
            return known
    return digest_of_file(path)


def books(state: str) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Yield each phase with what it manages."""
    directory = os.path.join(state, "managed")
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
        if name.endswith(".json"):
            yield name[: -len(".json")], read_json(os.path.join(directory, name)) or {}


def guarded(work: Callable[[Any], Dict[str, Any]], module: Any) -> None:
    """Run a module's work; end it with its result or with its error in words."""
    try:
        result = work(module)
    except NodeError as error:
        module.fail_json(msg=str(error))
    except OSError as error:
        module.fail_json(msg="{}: {}".format(error.filename or "the node", error.strerror or error))
    else:
        module.exit_json(**result)


def lines(text: str) -> List[str]:
    """Return the lines of a text that hold anything."""
    return [line.strip() for line in text.splitlines() if line.strip()]
