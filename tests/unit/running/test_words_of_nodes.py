"""What a node says reaches a person's terminal as words: nothing in it moves the terminal, or is without end."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import TREE, loads
from installer.planning import Seen
from installer.progress.stages import Progress
from installer.redaction import Redactor
from installer.running.events import Recorder
from installer.running.failures import failure_of
from installer.running.journal import Journal
from installer.running.observe import observe, understood

ODD = "gone\x1b[2J\x1b]0;title\x07\r\n\tand \u202eback\u009b"
HARMLESS = "gone\N{REPLACEMENT CHARACTER}[2J"


def is_harmless(text: str) -> bool:
    return text.replace("\n", "").replace("\t", "").isprintable()


def event(kind: str, **res: Any) -> dict[str, Any]:
    return {"event": kind, "event_data": {"host": "worker1", "task": "Look", "res": res}}


@pytest.mark.parametrize("kind", ["runner_on_failed", "runner_on_unreachable"])
@pytest.mark.parametrize("where", ["msg", "module_stderr", "stderr", "results", "remedy"])
def test_the_words_of_a_failure_move_no_terminal(kind: str, where: str) -> None:
    said: dict[str, Any] = {"results": [{"failed": True, "msg": ODD}]} if where == "results" else {where: ODD}
    failure = failure_of("host", event(kind, **said), "/tree")
    assert is_harmless(str(failure)), "a failure moves the terminal"
    assert HARMLESS in str(failure)
    assert len(str(failure_of("host", event(kind, **{where: "x" * 90_000}), "/tree"))) < 5000


def test_what_ansible_shows_of_a_node_moves_no_terminal(tmp_path: Path) -> None:
    log = io.StringIO()
    with Journal(tmp_path / "run", Redactor()) as journal:
        recorder = Recorder(journal, Progress(), log, Redactor())
        recorder.event({"event": "verbose", "stdout": f"\x1b[31mfatal\x1b[0m: {ODD}"})
    assert log.getvalue().startswith(f"fatal: gone{HARMLESS[4]}"), "the log moves the terminal"
    assert is_harmless(log.getvalue())
    assert is_harmless("\n".join(recorder.tail))


def test_what_a_node_says_of_itself_moves_no_terminal() -> None:
    cluster = loads((TREE / "cluster.example.yaml").read_text("utf-8"))
    record = {"input_hash": f"1 of:{ODD}=2", "version": ODD, "at": ODD}
    said = {
        "records": {"host": record, ODD: record},
        "cluster_records": {ODD: record},
        "managed": ["host"],
        "drifted": {"host": [ODD, "x" * 90_000]},
        "kubernetes": ODD,
        "certificates_end": ODD,
    }
    seen = understood(cluster, {name: event("runner_on_ok", **said) for name in ("master1", "worker1")})
    for found in (seen.node("worker1"), seen.cluster):
        assert all(is_harmless(text) for text in texts(found)), "what a node says of itself moves the terminal"
        assert all(len(text) < 5000 for text in texts(found))
    assert not seen.node("worker1").managed["host"].ok
    assert seen.node("worker1").records["host"].input_hash.startswith("1 of:gone")


def texts(found: Seen) -> list[str]:
    records = [text for name, one in found.records.items() for text in (name, one.input_hash, one.version, one.at)]
    drifted = [text for name, one in found.managed.items() for text in (name, *one.drifted)]
    return [found.kubernetes, found.certificates_end, found.problem, *records, *drifted]


def test_what_ssh_says_of_a_node_moves_no_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is asked ends as ssh itself does, in its own words."""
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "ssh").write_text("#!/bin/sh\ncat > /dev/null\nprintf 'gone\\033[2J\\r\\n' >&2\nexit 255\n")
    (tmp_path / "ssh").chmod(0o755)
    cluster = loads((TREE / "cluster.example.yaml").read_text("utf-8"))
    for name, found in observe(cluster).nodes.items():
        assert not found.reachable, name
        assert HARMLESS in found.problem, found.problem
        assert is_harmless(found.problem), "what ssh says moves the terminal"
