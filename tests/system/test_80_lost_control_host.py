"""The machine that ran `up` is lost: another one goes on with what a master has, and makes no second set of secrets."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from installer.cluster import load
from installer.ssh.options import pinned_options
from tests.system.harness import CLUSTER_FILE, NAME, SCRATCH, Atoll

ON_MASTERS = "/var/lib/atoll/clusters"


def digest(path: Path) -> str:
    """Name a secret file by what is in it: a failing test shows what it compares."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def lost(atoll: Atoll) -> Iterator[Path]:
    """The state of the cluster, taken away for the time of a test; what the test left in its place goes."""
    kept = SCRATCH / "kept"
    atoll.state.rename(kept)
    try:
        yield kept
    finally:
        shutil.rmtree(atoll.state, ignore_errors=True)
        kept.rename(atoll.state)
        atoll("lab", "up", "-f", str(CLUSTER_FILE))  # the nodes let the cluster's own key in again


def as_the_page_says(ssh: Path, master: str, clusters: Path) -> None:
    """What docs/operate.md has an administrator type, with a key that is let in."""
    key = ("-i", str(ssh / "id_ed25519"), *pinned_options(ssh / "known_hosts"))
    for argv in (
        ("mkdir", "-m", "0700", "-p", str(clusters)),
        ("scp", "-rp", *key, f"root@{master}:{ON_MASTERS}/{NAME}", f"{clusters}/"),
    ):
        ran = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
        assert ran.returncode == 0, f"{argv}: {ran.stderr}"


@pytest.mark.timeout(600)
def test_another_machine_goes_on_with_what_a_master_has(atoll: Atoll, lost: Path, tmp_path: Path) -> None:
    secrets = digest(lost / "secrets.yaml")
    refused = atoll("up", "-f", str(CLUSTER_FILE), "-o", "json", ok=(1,))
    assert "stands already" in refused.finished["message"]
    assert f"{ON_MASTERS}/{NAME}" in refused.finished["remedy"]

    let_in = shutil.copytree(atoll.state / "ssh", tmp_path / "ssh")
    shutil.rmtree(atoll.state)
    as_the_page_says(let_in, load(CLUSTER_FILE).node("master1").address, atoll.state.parent)
    assert digest(atoll.state / "secrets.yaml") == secrets
    assert (lost / "pki/ca.key").exists()
    assert [str(path) for path in atoll.state.rglob("ca.key") if path.parent.name == "pki"] == []
    ended = atoll("up", "-f", str(CLUSTER_FILE), "-o", "json").finished
    assert (ended["ok"], ended["changed"]) == (True, 0)
    planned = atoll("plan", "-f", str(atoll.state / "cluster.yaml"))
    assert "Nothing to do" in planned.out
    assert atoll.kubectl("get", "nodes").out.count(" Ready") == 5
