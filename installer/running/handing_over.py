"""What an apply hands to the masters: the accepted revision, what follows the nodes, and the journals of runs.

The rest of the cluster's state is the same for any number of nodes and is copied by the role `control`. What grows with
the nodes (their pinned host keys, certificates and keys) must not: adding one would then be a change of every master.
"""

from __future__ import annotations

import hashlib
import io
import shlex
import tarfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from installer.cluster.given import FOLDER
from installer.running import accepted
from installer.running.accepted import FILE, RECORD
from installer.running.errors import RunError
from installer.running.journal import FILE_NAME as JOURNAL
from installer.ssh.nodes import NodeNotBelieved, NodeUnreachable, SshNode, shown

# Files and folders of a cluster's state. `secrets.yaml` is among them since any phase may make a secret, also one that
# comes after `control`: at the end of an apply it is whole. What lies in pki/ and ssh/ is left out there by
# roles/control/vars/main.yml.
OF_NODES = (
    "secrets.yaml",
    "ssh/known_hosts",
    "pki/inventory.json",
    "pki/registry/nodes",
    "pki/kubernetes/kubelets",
    FOLDER,
)

_UNPACK = """
import os, sys, tarfile
os.umask(0o077)
with tarfile.open(fileobj=sys.stdin.buffer, mode="r|gz") as archive:
    for entry in archive:
        place = os.path.join(sys.argv[1], entry.name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place + ".new", "wb") as stream:
            stream.write(archive.extractfile(entry).read())
        os.replace(place + ".new", place)
"""


def hand_to(masters: Sequence[SshNode], cluster: str, state: Path, named: Collection[str] | None = None) -> None:
    """Give each master the files that it lacks or has otherwise; one that cannot take them keeps no other from them.

    `named` are the user's files that may stay there; None leaves all, as after a run that failed. Raises
    NodeUnreachable, RunError for the first master that could not take them.
    """
    ours = {name: hashlib.sha256((state / name).read_bytes()).hexdigest() for name in _names(state)}
    folder = accepted.ON_MASTERS / cluster
    failed: list[NodeUnreachable | RunError] = []
    for master in masters:
        try:
            _give(master, folder, state, ours, named)
        except (NodeUnreachable, RunError) as error:
            failed.append(error)
    if failed:
        raise failed[0]


def _give(master: SshNode, folder: Path, state: Path, ours: Mapping[str, str], named: Collection[str] | None) -> None:
    there = _there(master, folder)
    lacking = [name for name, digest in ours.items() if there.get(name) != digest]
    if lacking:
        unpack = ["python3", "-c", _UNPACK, str(folder)]
        _told(master, folder, master.ask(unpack, given=_packed(state, lacking), timeout_s=120))
    copies = [name for name in there if Path(name).parts[0] == FOLDER]
    stale = [str(folder / name) for name in copies if named is not None and Path(name).name not in named]
    if stale:
        _told(master, folder, master.ask(["rm", "-f", "--", *stale], timeout_s=60))


def _told(master: SshNode, folder: Path, answer: tuple[int, str, str]) -> None:
    code, _, errors = answer
    if code:
        raise RunError(f"{master.name}: {folder} cannot be written: {shown(errors)}", "Mend that there.")


def _names(state: Path) -> list[str]:
    """The file before its record: a kill in between leaves a record that is old, and the next run mends that."""
    found = [state / FILE]
    for name in OF_NODES:
        top = state / name
        found += [top] if top.is_file() else sorted(path for path in top.rglob("*") if path.is_file())
    found += sorted((state / "runs").glob(f"*/{JOURNAL}"))
    found.append(state / RECORD)
    return [str(path.relative_to(state)) for path in found if path.is_file() and not path.name.startswith(".")]


def _there(master: SshNode, folder: Path) -> dict[str, str]:
    """Return the digests of what the master has; what it lacks makes `find` complain, and is no error.

    Raises NodeUnreachable; NodeNotBelieved when it names what it was not asked for.
    """
    tops = [str(folder / name) for name in (FILE, RECORD, *OF_NODES)]
    # A shell for two questions over one connection.
    line = f"find {shlex.join(tops)} -type f -exec sha256sum {{}} + ; " + shlex.join(
        ["find", str(folder / "runs"), "-name", JOURNAL, "-exec", "sha256sum", "{}", "+"]
    )
    _, said, _ = master.ask(["sh", "-c", line], timeout_s=60)
    there = {}
    for line in said.splitlines():
        digest, _, path = line.partition("  ")
        name = Path(path)
        if not name.is_relative_to(folder) or name == folder or ".." in name.parts:
            raise NodeNotBelieved(master.name, f"`sha256sum` says no such line: {shown(line, 200)}")
        there[str(name.relative_to(folder))] = digest
    return there


def _packed(state: Path, names: Sequence[str]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in names:
            archive.add(state / name, name)
    return packed.getvalue()
