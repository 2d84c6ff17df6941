"""The commands around runs, as a person types them. Needs nothing but this machine."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from installer.cluster import TREE
from installer.redaction import Redactor
from installer.running import accepted, commands, kubectl
from installer.running.errors import RunError
from installer.running.journal import Journal

TEXT = (TREE / "cluster.example.yaml").read_text()


@pytest.fixture
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path))
    return tmp_path


def a_run(state: Path, name: str = "20260101T000000Z-0001") -> None:
    with Journal(state / "runs" / name, Redactor()) as journal:
        journal.write("started", run=name, verb="apply", version="0.1.0", fence=1)
        journal.write("plan", steps=[{"phase": "host", "node": "master1"}, {"phase": "queue", "node": "master1"}])
        journal.write("phase", phase="host")
        journal.write("task", phase="host", node="master1", task="t", outcome="failed", seconds=1)
        journal.write("phase_finished", phase="host", ok=False, seconds=1.0, changed=0)
        journal.write("failure", phase="host", node="master1", task="t", message="disk full", remedy="make room")
        journal.write("finished", state="failed", ok=False, seconds=1.2, changed=0)


def test_runs_are_listed_and_shown_for_the_one_cluster_that_is_known(clusters: Path) -> None:
    accepted.accept(clusters / "demo", TEXT)
    a_run(clusters / "demo")
    listed = CliRunner().invoke(commands.runs, ["list"]).output
    assert "20260101T000000Z-0001" in listed
    assert "disk full" in listed
    shown = json.loads(CliRunner().invoke(commands.runs, ["show", "latest", "-o", "json"]).output)
    assert [(phase["name"], phase["state"]) for phase in shown["phases"]] == [("host", "failed"), ("queue", "skipped")]
    assert shown["message"] == "host on master1, t: disk full"


def test_several_known_clusters_have_to_be_told_apart(clusters: Path) -> None:
    accepted.accept(clusters / "demo", TEXT)
    accepted.accept(clusters / "other", TEXT.replace("name: demo", "name: other", 1))
    with pytest.raises(RunError, match="`demo`, `other`"):
        accepted.known_cluster(None)


def test_status_of_what_is_not_installed_says_how_to_install_it(clusters: Path) -> None:
    result = CliRunner().invoke(commands.status, [])
    assert isinstance(result.exception, RunError)
    assert "./atoll up" in result.exception.remedy


@pytest.mark.parametrize(
    ("typed", "passed"),
    [
        (["--", "get", "pods", "-A"], ("get", "pods", "-A")),
        (["get", "pods"], ("get", "pods")),
        (["-f", "FILE", "--", "get", "pods"], ("get", "pods")),
        (["exec", "pod", "--", "ls"], ("exec", "pod", "--", "ls")),
        (["--", "exec", "pod", "--", "ls"], ("exec", "pod", "--", "ls")),
        (["apply", "-f", "objects.yaml"], ("apply", "-f", "objects.yaml")),
    ],
    ids=lambda words: " ".join(words),
)
def test_kubectl_gets_what_stands_behind_its_name(
    clusters: Path, monkeypatch: pytest.MonkeyPatch, typed: list[str], passed: tuple[str, ...]
) -> None:
    accepted.accept(clusters / "demo", TEXT)
    (clusters / "FILE").write_text(TEXT)
    asked: list[tuple[str, ...]] = []
    # It would become this process.
    monkeypatch.setattr(kubectl, "become", lambda _, arguments: asked.append(arguments))
    typed = [str(clusters / word) if word == "FILE" else word for word in typed]
    result = CliRunner().invoke(commands.kubectl, typed)
    assert result.exception is None, result.exception
    assert asked == [passed]
