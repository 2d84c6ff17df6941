"""Nodes that the cluster shall not know any more, as a kubectl that keeps notes of them sees it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cluster = Callable[..., Path]
# Nodes and pods are files, a pod's holds its node; one that is removed is gone.
KUBECTL = """
shift 2
all="$*"
at="${{all##*spec.nodeName=}}"
case "$all" in
*--field-selector*) bound=$(grep -lx "${{at%% *}}" {there}/pods/* 2>/dev/null) ;;
esac
case "$1 $2" in
"get node") test ! -e {there}/nodes/"$3" || echo "node/$3" ;;
"get pods") for pod in $bound; do echo "pod/${{pod##*/}}"; done ;;
"delete node") rm -f {there}/nodes/"$3" ;;
"delete pods") rm -f $bound ;;
*) echo "unknown: $all" >&2; exit 1 ;;
esac
"""


@pytest.fixture
def there(programs: Any, tmp_path: Path) -> Cluster:
    """A cluster of these nodes and pods: each pod by its node."""

    def make(nodes: list[str], **pods: str) -> Path:
        folder = tmp_path / "cluster"
        for kind in ("nodes", "pods"):
            (folder / kind).mkdir(parents=True)
        for name in nodes:
            (folder / "nodes" / name).touch()
        for name, node in pods.items():
            (folder / "pods" / name).write_text(f"{node}\n")
        programs("kubectl", KUBECTL.format(there=folder))
        return folder

    return make


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def removals(tmp_path: Path) -> list[list[str]]:
    """What kubectl was told to remove, in order, by the words behind its configuration."""
    told = [line.split()[3:] for line in (tmp_path / "log").read_text().splitlines()]
    return [words[1:] for words in told if words[0] == "delete"]


def test_a_node_goes_before_its_pods_which_go_by_force_and_nobody_elses(
    run: Any, there: Cluster, tmp_path: Path
) -> None:
    cluster = there(["worker1", "worker2"], one="worker2", two="worker2", other="worker1", near="worker20")
    answer = run("atoll_fencing", nodes=["worker2"])
    assert (answer["changed"], answer["removed"]) == (True, ["worker2"])
    assert names(cluster / "nodes") == ["worker1"]
    assert names(cluster / "pods") == ["near", "other"], "pods that are bound to it stay"
    node, pods = removals(tmp_path)
    assert node[:2] == ["node", "worker2"]
    assert pods[:1] == ["pods"]
    # Its kubelet is not asked, and is not waited for.
    assert {"--all-namespaces", "--force", "--grace-period=0", "--wait=false"} <= set(pods)
    assert "--wait=false" in node
    assert not run("atoll_fencing", nodes=["worker2"])["changed"]


def test_pods_of_a_node_that_is_gone_already_are_removed(run: Any, there: Cluster) -> None:
    """A run that was killed in between had removed the node."""
    cluster = there(["worker1"], one="worker2")
    assert run("atoll_fencing", nodes=["worker2"])["removed"] == ["worker2"]
    assert names(cluster / "pods") == []


def test_a_node_that_the_cluster_does_not_know_is_passed_over(run: Any, there: Cluster, tmp_path: Path) -> None:
    there(["worker1", "worker3"], one="worker1")
    answer = run("atoll_fencing", nodes=["worker2"])
    assert (answer["changed"], answer["removed"]) == (False, [])
    assert removals(tmp_path) == []
    answer = run("atoll_fencing", nodes=["worker3", "worker2", "worker3"])
    assert (answer["changed"], answer["removed"]) == (True, ["worker3"])


def test_a_rehearsal_names_what_is_there_again_and_changes_nothing(run: Any, there: Cluster, tmp_path: Path) -> None:
    """Verification of the role goes by it."""
    cluster = there(["worker1", "worker2"], one="worker3", two="worker1")
    for _ in range(2):
        answer = run("atoll_fencing", check=True, nodes=["worker4", "worker3", "worker2"])
        assert (answer["changed"], answer["removed"]) == (True, ["worker2", "worker3"])
    assert removals(tmp_path) == []
    assert (names(cluster / "nodes"), names(cluster / "pods")) == (["worker1", "worker2"], ["one", "two"])
    answer = run("atoll_fencing", check=True, nodes=["worker4"])
    assert (answer["changed"], answer["removed"]) == (False, [])


def test_a_node_that_cannot_be_asked_about_is_not_taken_for_gone(run: Any, programs: Any) -> None:
    programs("kubectl", "echo the server is away >&2; exit 1")
    answer = run("atoll_fencing", check=True, nodes=["worker2"])
    assert answer["failed"]
    assert "the server is away" in answer["msg"]
