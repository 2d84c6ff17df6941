"""The machine that ran `up` is lost: another one goes on with what a master has, and makes no second set of secrets."""

from __future__ import annotations

import base64
import hashlib
import io
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.mark.timeout(600)
def test_another_machine_goes_on_with_what_a_master_has(atoll: Atoll, lost: Path) -> None:
    secrets = digest(lost / "secrets.yaml")
    refused = atoll("up", "-f", str(CLUSTER_FILE), "-o", "json", ok=(1,))
    assert "stands already" in refused.finished["message"]
    assert f"{ON_MASTERS}/{NAME}" in refused.finished["remedy"]

    shutil.rmtree(atoll.state)
    packed = atoll.node("master1", "sh", "-c", f"tar -C {ON_MASTERS} -c {NAME} | base64").out
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed))) as archive:
        archive.extractall(atoll.state.parent, filter="tar")
    assert digest(atoll.state / "secrets.yaml") == secrets
    assert (lost / "pki/ca.key").exists()
    assert [str(path) for path in atoll.state.rglob("ca.key") if path.parent.name == "pki"] == []
    ended = atoll("up", "-f", str(CLUSTER_FILE), "-o", "json").finished
    assert (ended["ok"], ended["changed"]) == (True, 0)
    assert atoll.kubectl("get", "nodes").out.count(" Ready") == 5
