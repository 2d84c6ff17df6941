"""`./atoll users` as a person types it; kubectl, the edge, is a program that keeps what it was called with."""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from installer import exit_codes
from installer.running.kubectl import ARCHITECTURES
from installer.users.commands import users
from installer.users.errors import PlatformUnavailable, UsersError

ACCOUNT = {
    "id": "1",
    "name": "ada",
    "roles": [{"id": "user", "name": "User"}],
    "active": False,
    "must_change_password": False,
    "sessions": 0,
    "unfinished_tasks": 2,
    "uid": 30002,
    "created_at": "2026-01-01T00:00:00Z",
}
KUBECTL = """#!/usr/bin/env python3
import json, sys
with open({calls!r}, "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
place = next(word for word in sys.argv if word.startswith("deployment/"))
answers = json.load(open({answers!r}))
code, said = answers.get(place, [1, ""])
print(said)
sys.exit(code)
"""


class Kubectl:
    """What is asked of the cluster, and what it says."""

    def __init__(self, folder: Path) -> None:
        self.calls, self.answers = folder / "calls", folder / "answers"
        self.file = folder / "bundle" / "bin" / ARCHITECTURES[platform.machine()] / "kubernetes"
        self.file.parent.mkdir(parents=True)
        self.file.write_text(KUBECTL.format(calls=str(self.calls), answers=str(self.answers)))
        self.file.chmod(0o755)

    def says(self, answer: Any, code: int = 0, place: str = "deployment/api") -> None:
        self.answers.write_text(json.dumps({place: [code, json.dumps(answer)]}))

    def asked(self) -> list[list[str]]:
        return [json.loads(line) for line in self.calls.read_text().splitlines()]


@pytest.fixture
def kubectl(cluster: Path) -> Kubectl:
    return Kubectl(cluster)


def ran(*arguments: str) -> str:
    done = CliRunner().invoke(users, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_platforms_own_program_is_run_in_a_pod_and_told_who_asks(kubectl: Kubectl) -> None:
    kubectl.says(ACCOUNT)
    assert "ada is disabled. Tasks that have not ended: 2" in ran("disable", "ada", "--stop-tasks")
    (call,) = kubectl.asked()
    assert call[1:5] == ["exec", "-n", "atoll-system", "deployment/api"]
    assert call[5:11] == ["--", "python3", "-m", "atoll.users", "disable", "ada"]
    assert call[11] == "--stop-tasks"
    assert call[12].startswith("--by=grace@")


def test_a_one_time_password_is_printed_and_never_given_as_an_argument(kubectl: Kubectl) -> None:
    kubectl.says({"account": ACCOUNT, "password": "abcde-fghjk", "ways": []})
    said = ran("reset-password", "ada")
    assert "One-time password of ada: abcde-fghjk" in said
    assert "Links" not in said
    assert "abcde" not in kubectl.calls.read_text()


def test_links_end_with_a_password_unless_they_are_kept(kubectl: Kubectl) -> None:
    kubectl.says({"account": ACCOUNT, "password": "abcde-fghjk", "ways": ["microsoft", "wechat"]})
    assert "Links that were ended: microsoft, wechat." in ran("reset-password", "ada")
    ran("reset-password", "ada", "--keep-links")
    assert [call[9:-1] for call in kubectl.asked()] == [
        ["reset-password", "ada"],
        ["reset-password", "ada", "--keep-links"],
    ]


def test_accounts_are_listed(kubectl: Kubectl) -> None:
    kubectl.says({"items": [ACCOUNT]})
    assert "disabled" in ran("list")
    assert json.loads(ran("list", "-o", "json")) == {"users": [ACCOUNT]}


def test_when_the_api_does_not_run_nobody_else_is_asked_who_may_not(kubectl: Kubectl) -> None:
    kubectl.says(ACCOUNT, place="deployment/jobs")
    with pytest.raises(PlatformUnavailable, match="deployment/api"):
        ran("enable", "ada")
    assert [call[4] for call in kubectl.asked()] == ["deployment/api"]


def test_what_the_platform_refuses_is_told_with_its_remedy_and_nobody_else_is_asked(kubectl: Kubectl) -> None:
    kubectl.says({"code": "protected_account", "detail": "only the password", "remedy": "make others"}, code=1)
    with pytest.raises(UsersError, match=r"only the password\n  make others"):
        ran("disable", "admin")
    assert len(kubectl.asked()) == 1


def test_when_nothing_answers_it_says_where_to_look(kubectl: Kubectl) -> None:
    kubectl.says(ACCOUNT, place="nowhere")
    with pytest.raises(PlatformUnavailable, match="service_ctl status database") as told:
        ran("list")
    assert told.value.exit_code == exit_codes.UNAVAILABLE
