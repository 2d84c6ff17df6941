"""A canary: the generated secrets are looked for wherever they must not be."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from installer.cluster import load
from tests.system.canary import Canary
from tests.system.command_lines import CommandLines
from tests.system.harness import ROOT, SCRATCH, Atoll, Portal

# Where a secret has to lie on a node, by who needs it there; no file is for everybody.
KEPT = {
    r"/etc/atoll/pki/.*": "who the node is",
    r"/etc/ssl/\.?glusterfs\.key.*": "who the node is towards GlusterFS",
    r"/etc/atoll/registry/.*\.key": "who the registry is, and by what `control` knows it",
    r"/var/lib/atoll/clusters/.*": "the state of the cluster, on masters",
    r"/etc/kubernetes/.*": "what the API server and its like are started with, on masters",
    r"/etc/atoll/(kubernetes|control)/.*": "what the API server and `control` are started with, on masters",
    r"/var/lib/kubelet/pods/[^/]+/volumes/kubernetes\.io~(secret|projected)/.*": "secrets of pods, in memory",
}
# Programs and images, of which none is made after the secrets are; what is no file on a disk.
IMAGES = ["io.containerd.content.v1.content", "io.containerd.snapshotter.v1.overlayfs", "blobs"]
NOT_LOOKED_AT = ["proc", "sys", "dev", "usr", *IMAGES]


@pytest.fixture(scope="module")
def canary(atoll: Atoll) -> Canary:
    found = Canary(atoll)
    assert len(found.secrets) > 8, "the canary has nothing to look for"
    return found


def holding(paths: list[Path], canary: Canary) -> list[str]:
    return [f"{path}: {name}" for path in paths for name in canary.named(path.read_bytes())]


def test_no_journal_and_no_artifact_of_a_run_holds_a_secret(atoll: Atoll, canary: Canary) -> None:
    files = [path for path in (atoll.state / "runs").rglob("*") if path.is_file()]
    assert files
    assert holding(files, canary) == []


def test_only_files_for_root_hold_secrets_in_the_state(canary: Canary) -> None:
    files = [path for path in SCRATCH.rglob("*") if path.is_file() and "lab" not in path.parts]
    readable = [path for path in files if path.stat().st_mode & 0o077]
    assert holding(readable, canary) == []


@pytest.mark.timeout(600)
def test_secrets_lie_on_nodes_where_they_are_needed_and_nowhere_else(atoll: Atoll, canary: Canary) -> None:
    """On all disks, with the raw files of etcd, of the database and of journald, and whatever a program wrote."""
    seen = set()
    for node in (each.name for each in load(atoll.file).nodes):
        files = canary.files_with_secrets(atoll, node, ["/"], NOT_LOOKED_AT)
        kept = {file: next((place for place in KEPT if re.fullmatch(place, file)), None) for file in files}
        assert [file for file, place in kept.items() if place is None] == [], f"{node}: secrets lie about"
        modes = atoll.node(node, "stat", "--dereference", "--format", "%a %n", *files).out.splitlines()
        # What is in memory for a pod is below a directory that only root enters.
        open_ = [line for line in modes if not line.split()[0].endswith("0") and "/volumes/kubernetes.io~" not in line]
        assert open_ == [], f"{node}: others read secrets"
        seen |= {*kept.values()}
    assert len(seen) > 3, "the look finds nothing, also where secrets have to be"


def test_no_log_of_a_node_and_no_process_list_holds_a_secret(atoll: Atoll, canary: Canary) -> None:
    for node in (each.name for each in load(atoll.file).nodes):
        log = atoll.node(node, "journalctl", "--no-pager", "-q").out
        logs = atoll.node(node, "sh", "-c", "cat /var/log/pods/*/*/*.log 2>/dev/null || true").out
        processes = atoll.node(node, "ps", "-eo", "args", "-ww").out
        for what, text in (("journal", log), ("pod logs", logs), ("process list", processes)):
            assert canary.named(text.encode()) == [], f"{node}: its {what} holds secrets"


def test_no_process_has_a_secret_in_its_environment(canary: Canary) -> None:
    assert canary.processes_with_secrets() == []


def test_a_dump_of_the_database_holds_no_secret(atoll: Atoll, canary: Canary) -> None:
    database = ("exec", "--namespace", "atoll-system", "database-0", "--container", "postgresql", "--")
    dump = atoll.kubectl(*database, "pg_dumpall", "--username=postgres").out
    assert "CREATE TABLE" in dump
    assert canary.named(dump.encode()) == []


def test_no_answer_of_the_api_to_its_administrator_holds_a_secret(portal: Portal, canary: Canary) -> None:
    described = portal.client.get("/openapi.json").json()["paths"]
    paths = [path.removeprefix("/api/v1") for path, verbs in described.items() if "get" in verbs and "{" not in path]
    paths = [path for path in paths if not path.endswith("/stream")]
    assert len(paths) > 10
    answered = 0
    for path in paths:
        answer = portal.client.get(path)
        answered += answer.is_success
        assert canary.named(answer.content + str(answer.headers).encode()) == [], path
    assert answered > 10


def test_no_command_that_ran_meanwhile_had_a_secret_among_its_arguments(
    canary: Canary, command_lines: CommandLines
) -> None:
    assert command_lines.seen
    assert [line.split(b"\0")[0] for line in command_lines.seen.copy() if canary.named(line)] == []


def test_the_repository_holds_no_secret(canary: Canary) -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]
    assert holding(files, canary) == []
