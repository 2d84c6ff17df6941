"""What a node says of user namespaces of tasks, and where it is written. Needs nothing: runc, kubectl are scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.unit.plugins.conftest import Run, load

RECORD = {"phase": "storage_client", "input_hash": "a", "version": "1"}
REFUSED = (
    'time="…" level=error msg="runc run failed: unable to start container process: error during container init: '
    "failed to fulfil mount request: failed to set MOUNT_ATTR_IDMAP on {}: invalid argument (maybe the filesystem "
    "used doesn't support idmap mounts on this kernel?)\""
)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module on a node that has joined."""
    found = load("modules", "atoll_user_namespaces")
    (tmp_path / "kubelet.conf").touch()
    (tmp_path / "max").write_text("1000")
    (tmp_path / "mountinfo").write_text(
        "1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 0:1 / /mnt/atoll/home rw - fuse.glusterfs storage1:/atoll rw\n"
    )
    for name, file in (("KUBELET", "kubelet.conf"), ("MOST", "max"), ("MOUNTS", "mountinfo"), ("RUNC", "runc")):
        monkeypatch.setattr(found, name, str(tmp_path / file))
    monkeypatch.setattr(found, "SCRATCH", str(tmp_path))
    monkeypatch.setattr(found.os, "chown", lambda *_: None)
    return found


@pytest.fixture
def runc(tmp_path: Path) -> Callable[[str], None]:
    """It is handed a bundle, keeps its configuration, and says what is given."""

    def put(body: str) -> None:
        script = f'#!/bin/sh\ncp "$5/config.json" {tmp_path}/seen.json\n{body}\n'
        (tmp_path / "runc").write_text(script)
        (tmp_path / "runc").chmod(0o755)

    return put


def node(**metadata: object) -> str:
    return f"case \"$*\" in *' get '*) echo '{json.dumps({'metadata': metadata})}';; esac"


def test_a_node_whose_container_starts_says_so_of_itself_once(
    module: ModuleType, run: Run, runc: Callable[[str], None], programs: Callable[[str, str], Path], tmp_path: Path
) -> None:
    runc("exit 0")
    log = programs("kubectl", node(labels={"other": "x"}))
    answer = run("atoll_user_namespaces", node="worker1", trees=["/mnt/atoll/home"], record=RECORD)
    assert (answer["changed"], answer["possible"], answer["reason"]) == (True, True, "")
    asked, written = log.read_text().splitlines()
    assert asked == f"kubectl --kubeconfig {module.KUBELET} get node worker1 --output json"
    assert json.loads(written.partition("--patch ")[2]) == {
        "metadata": {
            "labels": {"atoll.io/user-namespaces": "true"},
            "annotations": {"atoll.io/no-user-namespaces": None},
        }
    }
    assert json.loads((tmp_path / "state/records/storage_client.json").read_text())["input_hash"] == "a"
    programs("kubectl", node(labels={"atoll.io/user-namespaces": "true"}))
    assert not run("atoll_user_namespaces", node="worker1", record=RECORD)["changed"]
    assert "patch" not in log.read_text().splitlines()[-1]


def test_the_container_is_one_of_a_pod_with_all_trees_of_tasks(
    module: ModuleType, run: Run, runc: Callable[[str], None], programs: Callable[[str, str], Path], tmp_path: Path
) -> None:
    runc("exit 0")
    programs("kubectl", node())
    run("atoll_user_namespaces", check=True, node="worker1")
    seen = json.loads((tmp_path / "seen.json").read_text())
    ids = [{"containerID": 0, "hostID": module.FIRST, "size": 65536}]
    mapped = [item["source"] for item in seen["mounts"] if item.get("uidMappings") == item.get("gidMappings") == ids]
    assert mapped[:-1] == ["/mnt/atoll/home", "/var/lib/kubelet", "/var/lib/containerd"]
    assert mapped[-1].startswith(str(tmp_path))  # the tmpfs
    assert seen["linux"]["uidMappings"] == ids
    assert {"user", "mount", "pid", "network"} <= {item["type"] for item in seen["linux"]["namespaces"]}
    assert seen["process"]["user"]["uid"] >= 30001


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            f"cat >&2 <<'END'\n{REFUSED.format('/mnt/atoll/home')}\nEND\nexit 1",
            "fuse.glusterfs has no idmapped mounts (/mnt/atoll/home) under this kernel",
        ),
        (
            f"cat >&2 <<'END'\n{REFUSED.format('/mnt/atoll/home-other')}\nEND\nexit 1",
            "ext4 has no idmapped mounts (/mnt/atoll/home-other) under this kernel",
        ),
        (
            "echo 'level=error msg=\"runc run failed: mount proc: operation not permitted\"' >&2; exit 1",
            "a container in a user namespace does not start: runc run failed: mount proc: operation not permitted",
        ),
        ("exit 3", "a container in a user namespace does not start: it says nothing"),
    ],
)
def test_where_it_does_not_start_the_node_says_why(
    module: ModuleType,
    run: Run,
    runc: Callable[[str], None],
    programs: Callable[[str, str], Path],
    body: str,
    reason: str,
) -> None:
    runc(body)
    log = programs("kubectl", node(labels={"atoll.io/user-namespaces": "true"}))
    answer = run("atoll_user_namespaces", node="worker1")
    assert (answer["possible"], answer["reason"]) == (False, reason)
    assert json.loads(log.read_text().partition("--patch ")[2]) == {
        "metadata": {
            "labels": {"atoll.io/user-namespaces": "false"},
            "annotations": {"atoll.io/no-user-namespaces": reason},
        }
    }


@pytest.mark.parametrize(("most", "reason"), [("0", "user.max_user_namespaces is 0"), (None, "has no user namespaces")])
def test_a_kernel_that_makes_none_is_not_tried(
    module: ModuleType, tmp_path: Path, runc: Callable[[str], None], most: str | None, reason: str
) -> None:
    runc("exit 0")
    (tmp_path / "max").unlink() if most is None else (tmp_path / "max").write_text(most)
    assert reason in module.why_not(["/mnt/atoll/home"])
    assert not (tmp_path / "seen.json").exists()


def test_what_takes_too_long_is_ended_and_removed(
    module: ModuleType, runc: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runc(f'case "$3" in delete) echo "$*" > {tmp_path}/removed;; *) exec sleep 60;; esac')
    monkeypatch.setattr(module, "TRIAL_S", 0.2)
    assert "did not end" in module.why_not(["/mnt/atoll/home"])
    assert "delete --force atoll-user-namespaces" in (tmp_path / "removed").read_text()
    assert not list(tmp_path.glob("atoll-user-namespaces-*"))


def test_who_has_not_joined_is_told_so(
    module: ModuleType, run: Run, runc: Callable[[str], None], tmp_path: Path
) -> None:
    runc("exit 0")
    (tmp_path / "kubelet.conf").unlink()
    assert run("atoll_user_namespaces", check=True, node="worker1")["changed"]
    assert "has not joined" in run("atoll_user_namespaces", node="worker1")["msg"]
