"""Units against a systemctl of a few lines. Needs nothing."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

SYSTEMCTL = """
state={state}
case "$1" in
show) echo "LoadState=loaded"; echo "ActiveState=$(cat $state)"; echo "SubState=x"
      echo "UnitFileState=$(cat $state.enabled)"
      echo "NeedDaemonReload=no"; echo "NRestarts=0"; echo "ActiveEnterTimestampMonotonic=1" ;;
start|restart|reload-or-restart) {start} ;;
stop) echo inactive > $state ;;
--quiet) [ "$2" = enable ] && echo enabled > $state.enabled || echo disabled > $state.enabled ;;
esac
"""


@pytest.fixture
def systemd(programs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes a systemctl whose units start, or don't; it returns the log of calls."""
    state = tmp_path / "unit"
    state.write_text("inactive\n")
    Path(f"{state}.enabled").write_text("disabled\n")
    real = os.path.isdir
    monkeypatch.setattr(os.path, "isdir", lambda path: True if path == "/run/systemd/system" else real(path))

    def make(start: str = "echo active > $state") -> Path:
        programs("journalctl", "echo it could not open its port")
        log: Path = programs("systemctl", SYSTEMCTL.format(state=state, start=start))
        return log

    return make


def verbs(log: Path) -> list[str]:
    calls = [line.split() for line in log.read_text().splitlines()]
    log.unlink()
    return [call[1] for call in calls if call[1] not in ("show", "--quiet")]


def test_a_unit_is_enabled_and_started_once(run: Any, systemd: Any) -> None:
    log = systemd()
    wanted = {"phase": "demo", "units": [{"name": "a.service"}]}
    assert run("atoll_units", **wanted)["actions"] == ["enable a.service", "start a.service"]
    assert verbs(log) == ["start"]
    assert not run("atoll_units", **wanted)["changed"]


def test_a_unit_is_restarted_for_a_new_file_once(run: Any, systemd: Any, tmp_path: Path) -> None:
    log = systemd()
    config = tmp_path / "a.conf"
    config.write_text("1")
    wanted = {"phase": "demo", "units": [{"name": "a.service", "restart_when": [str(config)]}]}
    run("atoll_units", **wanted)
    verbs(log)
    config.write_text("22")
    assert run("atoll_units", **wanted)["actions"] == ["restart a.service"]
    assert verbs(log) == ["restart"]
    assert not run("atoll_units", **wanted)["changed"]


def test_a_restart_that_a_killed_run_owed_is_made(run: Any, systemd: Any, tmp_path: Path) -> None:
    systemd()
    wanted = {"phase": "demo", "units": [{"name": "a.service"}]}
    run("atoll_units", **wanted)
    book = tmp_path / "state/managed/demo.json"
    content = json.loads(book.read_text())
    content["units"]["a.service"]["owed"] = True
    book.write_text(json.dumps(content))
    assert run("atoll_units", **wanted)["actions"] == ["restart a.service"]
    assert not run("atoll_units", **wanted)["changed"]


def test_a_unit_that_fails_is_reported_with_its_journal(run: Any, systemd: Any) -> None:
    systemd(start="echo failed > $state; exit 1")
    answer = run("atoll_units", phase="demo", units=[{"name": "a.service"}])
    assert answer["failed"]
    assert "a.service is failed" in answer["msg"]
    assert "it could not open its port" in answer["msg"]


def test_a_reload_in_vain_is_a_failure_although_the_unit_stays_active(run: Any, systemd: Any, tmp_path: Path) -> None:
    config = tmp_path / "rules"
    config.write_text("1")
    wanted = {"phase": "demo", "units": [{"name": "a.service", "reload_when": [str(config)]}]}
    systemd()
    run("atoll_units", **wanted)
    config.write_text("22")
    systemd(start="echo active > $state; exit 1")
    assert run("atoll_units", **wanted)["failed"]
    systemd()
    assert run("atoll_units", **wanted)["actions"] == ["restart a.service"], "the next run takes it for reloaded"
    assert not run("atoll_units", **wanted)["changed"]


def test_a_rehearsal_starts_nothing(run: Any, systemd: Any, tmp_path: Path) -> None:
    log = systemd()
    assert run("atoll_units", check=True, phase="demo", units=[{"name": "a.service"}])["changed"]
    assert verbs(log) == []
    assert not (tmp_path / "state").exists()


def test_a_stopped_unit_that_runs_again_is_a_difference(run: Any, systemd: Any, tmp_path: Path) -> None:
    systemd()
    run("atoll_units", phase="demo", units=[{"name": "a.service"}])
    (tmp_path / "unit").write_text("inactive\n")
    assert run("atoll_probe", objects=False)["drifted"] == {"demo": ["unit a.service is inactive"]}


def test_a_unit_that_was_disabled_is_told_and_enabled_again(run: Any, systemd: Any, tmp_path: Path) -> None:
    systemd()
    wanted = {"phase": "demo", "units": [{"name": "a.service"}]}
    run("atoll_units", **wanted)
    (tmp_path / "unit.enabled").write_text("disabled\n")
    assert run("atoll_probe", objects=False)["drifted"] == {"demo": ["unit a.service is disabled"]}, (
        "it would not start with its node"
    )
    assert run("atoll_units", **wanted)["actions"] == ["enable a.service"]
    assert run("atoll_probe", objects=False)["drifted"] == {}


def test_a_mount_that_answers_nobody_is_made_again(
    run: Any, plugin: Any, systemd: Any, programs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """systemd takes it for mounted; what mounts it is not asked here, tests/system has a real one."""
    place = tmp_path / "mounted"
    place.mkdir()
    log = systemd()
    programs(
        "systemctl",
        f'[ "$1" = show ] && echo "Where={place}"\n'
        + SYSTEMCTL.format(state=tmp_path / "unit", start="echo active > $state"),
    )
    wanted = {"phase": "demo", "units": [{"name": "a.mount"}]}
    run("atoll_units", **wanted)
    assert not run("atoll_units", **wanted)["changed"]
    real = os.stat

    def stat(path: Any, *args: Any, **more: Any) -> os.stat_result:
        if str(path) == str(place):
            raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")
        return real(path, *args, **more)

    freed = programs("umount", "true")
    with monkeypatch.context() as dead:
        dead.setattr(os, "stat", stat)
        assert run("atoll_units", **wanted)["actions"] == ["restart a.mount"]
        described = run("atoll_files", phase="demo", directories=[{"path": str(place), "mode": "0755"}])
        assert not described.get("failed"), described
    assert f"umount --lazy {place}" in freed.read_text()
    assert verbs(log).count("restart") == 1
    assert not run("atoll_units", **wanted)["changed"]


def test_a_unit_whose_description_is_taken_away_is_nobodys_to_look_at(
    run: Any, plugin: Any, systemd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an earlier version: what it was may go on under the name of a mount, which is not for us to judge."""
    systemd()
    monkeypatch.setattr(plugin("modules", "atoll_files"), "UNITS", str(tmp_path))
    run("atoll_units", phase="demo", units=[{"name": "a.mount"}, {"name": "b.service"}])
    (tmp_path / "a.mount").write_text("[Mount]")
    run("atoll_files", phase="demo", absent=[str(tmp_path / "a.mount")])
    assert [*json.loads((tmp_path / "state/managed/demo.json").read_text())["units"]] == ["b.service"]


def test_a_unit_whose_work_is_not_as_it_left_it_is_restarted(
    run: Any, plugin: Any, systemd: Any, programs: Any, tmp_path: Path
) -> None:
    """As a mount that answers nobody: systemd takes it for running."""
    log = systemd()
    wanted = {"phase": "demo", "units": [{"name": "a.service", "check": ["looks", "home"]}]}
    programs("looks", "exit 0")
    run("atoll_units", **wanted)
    assert not run("atoll_units", **wanted)["changed"]
    assert run("atoll_probe", objects=False)["drifted"] == {}
    programs("looks", "echo 'home is another directory' >&2; exit 1")
    (said,) = run("atoll_probe", objects=False)["drifted"]["demo"]
    assert said.startswith("unit a.service: ")
    assert said.endswith("home is another directory")
    assert run("atoll_units", **wanted)["actions"] == ["restart a.service"]
    assert "restart" in verbs(log)
    programs("looks", "echo 'nothing can bring it back' >&2; exit 2")
    assert run("atoll_units", **wanted)["actions"] == [], "what still works is taken away"
    assert "nothing can bring it back" in run("atoll_probe", objects=False)["drifted"]["demo"][0]
