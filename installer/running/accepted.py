"""The accepted revision of a cluster's cluster.yaml: what the cluster is, or is on the way to be.

`apply -f FILE` accepts a new one. The masters hold a copy, which the control service may replace too; a machine that
does not know the cluster's newest revision may not overwrite it without being told to.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

import yaml

from installer.cluster import Cluster, load, state_directory
from installer.cluster.options import cluster_of
from installer.planning.standing import read_standing
from installer.running.errors import RunError
from installer.ssh.nodes import NodeNotBelieved, SshNode, shown

FILE = "cluster.yaml"
RECORD = "revision.json"
ON_MASTERS = Path("/var/lib/atoll/clusters")
KEPT = 100
MOST_REVISIONS = 1 << 53
NO_SUCH_FILE = re.compile(r"cat: .*: No such file or directory")


@dataclass(frozen=True)
class Revision:
    """A revision: its number grows with each accepted change; `history` holds the digests that led to it.

    `content` is what was accepted: the file beside it may have been edited since, to be accepted next.
    """

    number: int
    digest: str
    at: str
    by: str
    history: tuple[str, ...] = ()
    content: str = ""

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """Read a record; None when there is none, or a torn one."""
        try:
            data = json.loads(text)
            history = tuple(str(digest) for digest in data["history"])
            content = str(data.get("content", ""))
            number = int(data["number"])
            if not 0 < number < MOST_REVISIONS:
                return None
            return cls(number, str(data["digest"]), str(data["at"]), str(data["by"]), history, content)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return None

    def text(self) -> str:
        """Return the record."""
        return json.dumps(asdict(self)) + "\n"


def known_cluster(file: Path | None) -> Cluster:
    """Return the cluster that `-f` names, else the one that this machine knows, else the reference topology.

    For commands that look at what is there; those that change it go by a file. Raises ClusterError, RunError.
    """
    if file is None:
        known = sorted(state_directory("x").parent.glob(f"*/{FILE}"))
        if len(known) == 1:
            return load(known[0], installed=True)
        if known:
            names = ", ".join(f"`{found.parent.name}`" for found in known)
            raise RunError(f"This machine knows several clusters: {names}.", "Choose one: -f FILE (its cluster.yaml).")
    return cluster_of(file)


def digest_of(text: str) -> str:
    """Name a text by what it says: comments, order of keys and layout make no other revision."""
    said = json.dumps(yaml.safe_load(text), sort_keys=True, default=str)
    return "sha256:" + hashlib.sha256(said.encode()).hexdigest()


def accepted(state: Path) -> Revision | None:
    """Return the revision that was accepted last in this state folder."""
    record = state / RECORD
    return Revision.from_text(record.read_text("utf-8")) if record.exists() else None


def standing(state: Path) -> Cluster | None:
    """Return the cluster as it was accepted last; None if there is none, or none that this version can read."""
    revision = accepted(state)
    return None if revision is None else read_standing(_said(revision, state))


def refuse_unreadable(state: Path, over: int | None = None) -> None:
    """Refuse to go by a cluster.yaml when what stands cannot be read: its nodes would be forgotten in silence.

    `over` names the revision that a person overwrites all the same. Raises RunError.
    """
    revision, record = accepted(state), state / RECORD
    if revision is None and record.exists():
        raise RunError(
            f"{record} says nothing that can be read, so it is not known which nodes stand. Nothing was changed.",
            f"Copy {ON_MASTERS}/*/{RECORD} from a master over it. If all nodes that stand are in your cluster.yaml, "
            "remove it instead.",
        )
    if revision is None or revision.number == over or read_standing(_said(revision, state)) is not None:
        return
    raise RunError(
        f"{record}: revision {revision.number} of cluster.yaml (accepted {revision.at} on {revision.by}) cannot be "
        "read by this version of Atoll, so it is not known which nodes stand. Nothing was changed.",
        "Go on with the version that accepted it. If all of its nodes are in your cluster.yaml, overwrite it: "
        f"`./atoll apply -f FILE --over {revision.number}`.",
    )


def _said(revision: Revision, state: Path) -> str:
    if revision.content or not (state / FILE).exists():
        return revision.content
    # Written by an earlier version: its file says it, unless it was edited since.
    return (state / FILE).read_text("utf-8")


def accept(state: Path, text: str, at_least: int = 1) -> Revision:
    """Accept a text as the cluster's cluster.yaml; the same text again is the same revision."""
    before = accepted(state)
    digest = digest_of(text)
    if before is not None and before.digest == digest:
        write(state / FILE, text)
        if before.content != text:
            before = replace(before, content=text)
            write(state / RECORD, before.text())
        return before
    history = (*before.history, before.digest)[-KEPT:] if before else ()
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    number = max(before.number + 1 if before else 1, at_least)
    revision = Revision(number, digest, now, socket.gethostname(), history, text)
    # The file first: a kill in between leaves a file whose record is old, and the next accept mends that.
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    write(state / FILE, text)
    write(state / RECORD, revision.text())
    return revision


def of_cluster(master: SshNode, cluster: str) -> Revision | None:
    """Return the revision that the masters have; None before the first apply.

    Raises NodeUnreachable; RunError when the file cannot be read, or says what no revision is: nothing goes on then,
    for there may be one.
    """
    record = ON_MASTERS / cluster / RECORD
    try:
        code, said, errors = master.ask(["env", "LC_ALL=C", "cat", str(record)], timeout_s=15)
        theirs = Revision.from_text(said) if code == 0 else None
    except NodeNotBelieved as error:
        raise RunError(error.message, error.remedy) from None
    if code == 1 and NO_SUCH_FILE.fullmatch((errors.strip().splitlines() or [""])[-1]):
        return None
    if code:
        raise RunError(
            f"{record} on `{master.name}` cannot be read (exit code {code}): {shown(errors, 200)}\n"
            "So it is not known which revision of cluster.yaml the cluster has. Nothing was changed.",
            f"Mend what keeps it from being read there: rights or a disk, mostly (`dmesg`; `./atoll preflight` says "
            f"more). With `maintenance: true` `{master.name}` is left out, and the next master is asked.",
        )
    if theirs is None:
        raise RunError(
            f"{record} on `{master.name}` says nothing that can be read: {shown(said, 200)}\n"
            "So it is not known which revision of cluster.yaml the cluster has. Nothing was changed.",
            f"Look at `{master.name}` itself. Copy the file from another master over it; if none has it, remove it.",
        )
    return theirs


def foreign(theirs: Revision | None, state: Path) -> Revision | None:
    """Return the revision of the masters if this machine never saw it."""
    ours = accepted(state)
    known = ours is not None and theirs is not None and theirs.digest in {ours.digest, *ours.history}
    return None if known else theirs


def refuse_foreign(theirs: Revision | None, state: Path, text: str, over: int | None) -> None:
    """Refuse to overwrite a revision that this machine never saw, unless `over` names it. Raises RunError."""
    theirs = foreign(theirs, state)
    if theirs is None or theirs.digest == digest_of(text) or theirs.number == over:
        return
    unread = "" if read_standing(theirs.content) else " This version cannot read it, nor compare its nodes with yours."
    raise RunError(
        f"The cluster has revision {theirs.number} of its cluster.yaml (accepted {shown(theirs.at, 100)} on "
        f"{shown(theirs.by, 100)}), which this machine does not know. It is {ON_MASTERS}/*/{FILE} on the masters."
        f"{unread}",
        f"Merge what differs into your file, then say `./atoll apply -f FILE --over {theirs.number}`.",
    )


def write(path: Path, text: str) -> None:
    """Write a file that only root may read, all or nothing."""
    draft = path.with_name(f".{path.name}.new")
    draft.write_text(text, "utf-8")
    draft.chmod(0o600)
    draft.replace(path)
