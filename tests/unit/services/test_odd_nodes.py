"""What a node that somebody has taken over says to who looks at services. `ssh` is a program of ours."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from installer.cluster import TREE, load
from installer.control.answers import ServiceLine
from installer.control.routers.services import summary
from installer.services.access import Access
from installer.services.log_lines import CUT, LINE_BYTES
from installer.services.logs import MOST_AHEAD, follow, logs
from installer.services.observation import services, version_in
from installer.services.states import ServiceState
from installer.services.stop import Stop
from installer.services.table import Service, Unit

SERVICE = Service("runtime", "Runtime", (Unit("containerd.service", "all", ("containerd", "--version")),), ())


@pytest.fixture
def access(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Access]:
    """The cluster of the example; worker1 answers as the lines of a shell say, the others that all is well."""
    cluster = load(TREE / "cluster.example.yaml")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def make(lines: str) -> Access:
        usual = "printf 'Id=x\\nActiveState=active\\nLoadState=loaded\\nResult=success\\n'"
        text = f'#!/bin/sh\ncase "$*" in *@{cluster.node("worker1").address}\\ *) {lines};; *) {usual};; esac\n'
        (tmp_path / "ssh").write_text(text)
        (tmp_path / "ssh").chmod(0o755)
        return Access(cluster, tmp_path / "none")

    return make


def seen(access: Access) -> ServiceState:
    (found,) = services(access, [SERVICE])
    ServiceLine.model_validate(summary(found))
    return found


def test_a_node_that_says_too_much_of_its_units_is_unknown_and_the_others_run(
    access: Callable[[str], Access],
) -> None:
    found = seen(access(f"head -c {1 << 20} /dev/zero"))
    states = {part.nodes[0]: part.state for part in found.parts}
    assert states.pop("worker1") == "unknown"
    assert {*states.values()} == {"running"}
    assert "`worker1` is not believed" in found.message


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (r"printf 'ActiveState=splendid\nLoadState=loaded\n'", "unknown"),
        (r"printf '\n\n=\n==\nnonsense\n\377'", "failed"),
        ("true", "failed"),
        (
            r"printf 'ActiveState=failed\nLoadState=loaded\nResult=\033[2J'; head -c 90000 /dev/zero | tr '\0' x",
            "failed",
        ),
        (r"printf 'ActiveState=failed\nLoadState=loaded\nResult=%090000d\n' 1", "failed"),
    ],
)
def test_whatever_a_node_says_of_a_unit_is_a_state_and_a_short_message(
    access: Callable[[str], Access], said: str, state: str
) -> None:
    found = seen(access(said))
    (part,) = [one for one in found.parts if one.nodes == ("worker1",)]
    assert part.state == state
    assert len(part.message) < 200
    assert "\x1b" not in part.message


def test_a_version_is_short() -> None:
    assert version_in("v1.2.3") == "v1.2.3"
    assert len(version_in("1.1" * 100_000)) < 80
    assert len(version_in("9" * 100_000 + ".1")) < 80


def test_a_followed_line_without_end_is_cut_and_odd_bytes_end_no_log(access: Callable[[str], Access]) -> None:
    lines = rf"printf 'odd \377\n'; head -c {4 << 20} /dev/zero | tr '\0' x; printf '\nthe last\n'"
    stop = Stop()
    found = follow(access(lines), SERVICE, 10, stop)
    told = [line.partition(": ")[2] for line in found if line.startswith("worker1/")]
    assert [len(line) for line in told] == [5, LINE_BYTES + len(CUT), len("the last")]
    assert (told[0], told[2]) == ("odd �", "the last")


def test_what_is_read_ahead_of_a_followed_log_is_bounded(access: Callable[[str], Access]) -> None:
    assert MOST_AHEAD * LINE_BYTES <= 4 << 20
    stop = Stop()
    found = follow(access("exec yes"), SERVICE, 10, stop)
    assert any(line == "worker1/containerd.service: y" for line in found)
    stop.set()
    assert list(found) == []


def test_the_end_of_a_log_that_has_more_than_was_asked_for_is_not_believed(access: Callable[[str], Access]) -> None:
    told = logs(access(f"head -c {8 << 20} /dev/zero"), SERVICE, 10)
    (odd,) = [line for line in told if line.startswith("worker1/")]
    assert "`worker1` is not believed" in odd
    assert any(line.startswith("worker2/") for line in told)
