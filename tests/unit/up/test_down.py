"""The end of a cluster, as a person types it. Needs nothing but this machine."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from installer import lab
from installer.cluster import TREE
from installer.progress.stages import Progress
from installer.redaction import Redactor
from installer.running import accepted
from installer.running.errors import RunError
from installer.running.journal import Journal
from installer.up import commands
from installer.up.teardown import remove_lab

TEXT = (TREE / "cluster.example.yaml").read_text()


@pytest.fixture
def clusters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path))
    return tmp_path


def test_down_never_touches_servers(clusters: Path, tmp_path: Path) -> None:
    content = yaml.safe_load(TEXT)
    del content["lab"]
    file = tmp_path / "servers.yaml"
    file.write_text(yaml.safe_dump(content))
    result = CliRunner().invoke(commands.down, ["-f", str(file), "--yes"])
    assert isinstance(result.exception, RunError)
    assert "not a lab" in result.exception.message


def test_down_leaves_no_state_behind(clusters: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[str] = []
    monkeypatch.setattr(lab, "down", lambda cluster, _: removed.append(cluster.name))
    accepted.accept(clusters / "demo", TEXT)
    with Journal(clusters / "demo" / "runs" / "20260101T000000Z-0001", Redactor()) as journal:
        journal.write("started", run="20260101T000000Z-0001", verb="apply", version="0.1.0", fence=1)
    cluster = accepted.known_cluster(None)
    remove_lab(cluster, Progress())
    assert removed == ["demo"]
    assert list(clusters.iterdir()) == []
