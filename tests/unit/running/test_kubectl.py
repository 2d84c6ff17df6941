"""What kubectl is given, and which API server it is sent to. Needs nothing."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from installer.cli import cli
from installer.running.kubectl import reachable


def test_the_first_api_server_that_takes_a_connection_is_asked() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = f"https://127.0.0.1:{server.getsockname()[1]}"
        assert reachable(["https://127.0.0.1:1", there, "https://127.0.0.1:2"]) == there


def test_when_none_does_kubectl_itself_says_why() -> None:
    assert reachable(["https://127.0.0.1:1", "https://127.0.0.1:2"]) == "https://127.0.0.1:1"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path | None, tuple[str, ...]]]:
    """Which cluster.yaml was named, and the words that kubectl got."""
    calls: list[tuple[Path | None, tuple[str, ...]]] = []
    monkeypatch.setattr("installer.running.commands.known_cluster", lambda file: file)
    monkeypatch.setattr("installer.running.kubectl.become", lambda file, words: calls.append((file, words)))
    return calls


@pytest.mark.parametrize(
    ("typed", "file", "passed_on"),
    [
        ("get pods -A", None, "get pods -A"),
        ("-- get pods -A", None, "get pods -A"),  # as docs/operate.md has it
        ("exec one -- ls --help", None, "exec one -- ls --help"),
        ("-- exec one -- ls", None, "exec one -- ls"),
        ("-f a.yaml -- get pods", Path("a.yaml"), "get pods"),
        ("apply -f a.yaml", None, "apply -f a.yaml"),
        ("-- --help", None, "--help"),
        ("get --help", None, "get --help"),
    ],
)
def test_with_and_without_dashes_kubectl_gets_the_same_words(
    given: list[tuple[Path | None, tuple[str, ...]]], typed: str, file: Path | None, passed_on: str
) -> None:
    ran = CliRunner().invoke(cli, ["kubectl", *typed.split()])
    assert ran.exit_code == 0, ran.output
    assert given == [(file, tuple(passed_on.split()))]


def test_help_of_the_command_needs_no_cluster(given: list[tuple[Path | None, tuple[str, ...]]]) -> None:
    ran = CliRunner().invoke(cli, ["kubectl", "--help"], prog_name="atoll")
    assert (ran.exit_code, given) == (0, [])
    assert "Usage: atoll kubectl" in ran.output
    assert "everything behind" in ran.output
