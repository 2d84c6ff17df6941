"""Restarting static pods: one master after the other. Needs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from installer.services import actions
from installer.services.access import Access
from installer.services.actions import ActionFailed
from installer.services.table import StaticPod
from installer.ssh.nodes import SshNode

ETCD = StaticPod("etcd")


class Master:
    """A master whose kubelet makes an ended container anew after it was looked at a few times."""

    def __init__(self, name: str, told: list[str], looks: int = 3) -> None:
        self.name, self.told, self.looks = name, told, looks
        self.running = {f"{name}-old"}
        self.there = {f"{name}-old", f"{name}-long-gone"}

    def ask(self, command: Sequence[str]) -> tuple[int, str, str]:
        match list(command[3:]):
            case ["containers", "ls", *_]:
                return 0, "\n".join(sorted(self.there)), ""
            case ["tasks", "kill", "-s", "SIGTERM", container]:
                if container not in self.running:
                    return 1, "", "no task"
                self.told.append(f"{self.name} is ended")
                self.running.clear()
                return 0, "", ""
            case ["tasks", "ls"]:
                self.looks -= 1
                if self.looks == 1:
                    self.there.add(f"{self.name}-new")  # made, but not running yet
                if self.looks == 0:
                    self.running.add(f"{self.name}-new")
                    self.told.append(f"{self.name} runs again")
                states = ((one, "RUNNING" if one in self.running else "STOPPED") for one in sorted(self.there))
                return 0, "TASK    PID    STATUS\n" + "".join(f"{one}    7    {state}\n" for one, state in states), ""
        raise AssertionError(command)


@pytest.fixture(autouse=True)
def no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "LOOK_EVERY_SECONDS", 0)


def restart(masters: Sequence[Master], pod: StaticPod = ETCD) -> None:
    access: Any = SimpleNamespace(nodes=lambda _: cast("Sequence[SshNode]", masters))
    actions._restart(cast(Access, access), pod, lambda _: None)


def test_a_second_master_is_touched_only_when_the_part_runs_again_on_the_first() -> None:
    told: list[str] = []
    restart([Master("m1", told), Master("m2", told)])
    assert told == ["m1 is ended", "m1 runs again", "m2 is ended", "m2 runs again"]


def test_a_part_that_stays_down_leaves_the_other_masters_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "AGAIN_SECONDS", 0.05)
    told: list[str] = []
    with pytest.raises(ActionFailed, match=r"m1: static pod kube-system/etcd does not run again.*no further master"):
        restart([Master("m1", told, looks=10**9), Master("m2", told)])
    assert told == ["m1 is ended"]


def test_the_control_service_ends_itself_last_and_does_not_wait_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOLL_NODE", "m1")
    told: list[str] = []
    restart([Master("m1", told), Master("m2", told)], StaticPod("control"))
    assert told == ["m2 is ended", "m2 runs again", "m1 is ended"]
