"""What gives homes their limits, on a folder in place of a brick and a `gluster` of a few lines. Needs nothing."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import home_quotas
import pytest
from home_quotas import MIB, Keeper, Settings

from installer.cluster.quantities import amount

GIB = 1 << 30
# Sets what it is told, as the real one does through the volume; `refuses` holds what it says instead.
GLUSTER = f"""#!{sys.executable} -I
import os, struct, sys
here = os.path.dirname(os.path.abspath(__file__))
words = sys.argv[3:]
open(here + "/calls", "a").write(" ".join(words) + "\\n")
refused = open(here + "/refuses").read() if os.path.exists(here + "/refuses") else ""
if not refused and "quota" in words:
    home = os.path.join(here, "brick", words[4].lstrip("/"))
    attribute = "user.limit-objects.2" if words[3].endswith("-objects") else "user.limit-set.2"
    if words[3].startswith("remove"):
        os.removexattr(home, attribute)
    else:
        os.setxattr(home, attribute, struct.pack(">qq", int(words[5]), -1))
print("<cliOutput><opRet>%d</opRet><opErrstr>%s</opErrstr></cliOutput>" % (-1 if refused else 0, refused))
"""
INFO = "status=1\nquota-version=2\nfeatures.quota=on\n"


class Node:
    """A storage node: its brick, what its glusterd keeps, and the commands that were given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.homes = folder / "brick/home"
        self.homes.mkdir(parents=True)
        self.info = folder / "vols/atoll/info"
        self.info.parent.mkdir(parents=True)
        self.info.write_text(INFO)
        self.daemon = folder / "quotad.pid"
        program = folder / "gluster"
        program.write_text(GLUSTER)
        program.chmod(0o755)

    def home(self, name: str, limit: int = 0, files: int = 0) -> None:
        (self.homes / name).mkdir()
        for attribute, value in (("user.limit-set.2", limit), ("user.limit-objects.2", files)):
            if value:
                os.setxattr(self.homes / name, attribute, struct.pack(">qq", value, -1))

    def settings(self, limit: str | None, **limits: str | None) -> Settings:
        return Settings("atoll", str(self.homes), str(self.folder), limit, limits, None, {})

    def keeper(self, limit: str | None, **limits: str | None) -> Keeper:
        return self.keeper_of(self.settings(limit, **limits))

    def keeper_of(self, settings: Settings) -> Keeper:
        return Keeper(settings, str(self.folder), str(self.daemon))

    def calls(self) -> list[str]:
        """What was asked of GlusterFS since the last look."""
        log = self.folder / "calls"
        said = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return said

    def faults(self, settings: Settings, age_s: float = 3600) -> list[str]:
        return list(home_quotas.faults(settings, age_s, str(self.folder), str(self.daemon)))


@pytest.fixture
def size(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], None]:
    def make(volume: int | None) -> None:
        monkeypatch.setattr(home_quotas, "size_of", lambda _: volume)

    make(100 * GIB)
    return make


@pytest.fixture
def daemon(node: Node) -> Any:
    """The quota daemon: a process with its words."""
    words = [sys.executable, "-Ic", "import time; print(flush=True); time.sleep(60)", "gluster/quotad"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # until then the kernel may not know its words yet
        node.daemon.write_text(str(process.pid))
        yield process
        process.kill()


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: Any) -> Node:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    # Everybody may have attributes of this name space; those of GlusterFS are root's.
    monkeypatch.setattr(home_quotas, "ROOM", home_quotas.ROOM._replace(attribute="user.limit-set"))
    monkeypatch.setattr(home_quotas, "FILES", home_quotas.FILES._replace(attribute="user.limit-objects"))
    return Node(tmp_path)


def test_each_home_gets_its_limit_once_and_nothing_else_does(node: Node, daemon: Any, tmp_path: Path) -> None:
    for name in ("ada", "bob", "cy"):
        node.home(name)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (node.homes / "eve").symlink_to(elsewhere)
    (node.homes / "file").touch()
    for odd in ("-rf", "A", "x;reboot", "a b", "lost+found", ".trash", "ada\n"):
        (node.homes / odd).mkdir()
    keeper = node.keeper("50%", ada="2Gi", cy=None)
    keeper.turn()
    assert node.calls() == [
        f"volume quota atoll limit-usage /home/ada {2 * GIB}",
        f"volume quota atoll limit-usage /home/bob {50 * GIB}",
    ]
    keeper.turn()
    assert node.calls() == [], "what is as it should be is set no more"
    node.home("dan")
    keeper.turn()
    assert node.calls() == [f"volume quota atoll limit-usage /home/dan {50 * GIB}"]


def test_a_link_in_place_of_all_homes_leads_to_none(node: Node, daemon: Any, tmp_path: Path) -> None:
    (tmp_path / "etc/ada").mkdir(parents=True)
    shutil.rmtree(node.homes, ignore_errors=True)
    node.homes.symlink_to(tmp_path / "etc")
    node.keeper("1Gi").turn()
    assert node.calls() == []


def test_a_limit_that_nobody_wants_any_more_is_taken_away(node: Node, daemon: Any) -> None:
    node.home("ada", 2 * GIB)
    node.home("bob", 50 * GIB)
    node.keeper(None, ada="1Gi").turn()
    assert node.calls() == [
        f"volume quota atoll limit-usage /home/ada {GIB}",
        "volume quota atoll remove /home/bob",
    ]


def test_each_home_gets_its_number_of_files_whatever_it_had_before(node: Node, daemon: Any) -> None:
    node.home("ada", GIB)
    node.home("bob", GIB, files=1000)
    node.home("cy", GIB, files=1000)
    node.home("dan", GIB, files=500)
    keeper = node.keeper_of(node.settings("1Gi")._replace(files=1000, files_of={"cy": None, "dan": 9000}))
    keeper.turn()
    assert node.calls() == [
        "volume quota atoll limit-objects /home/ada 1000",
        "volume quota atoll remove-objects /home/cy",
        "volume quota atoll limit-objects /home/dan 9000",
    ], "files of a home have another limit"
    keeper.turn()
    assert node.calls() == [], "what is as it should be is set no more"
    node.home("eve")
    keeper.turn()
    assert node.calls() == [
        f"volume quota atoll limit-usage /home/eve {GIB}",
        "volume quota atoll limit-objects /home/eve 1000",
    ]
    node.keeper("1Gi").turn()
    assert sorted(node.calls()) == [
        f"volume quota atoll remove-objects /home/{name}" for name in ("ada", "bob", "dan", "eve")
    ]


def test_a_number_of_files_is_set_without_the_mount_and_told_in_words(node: Node, daemon: Any, size: Any) -> None:
    node.home("ada", files=5)
    node.home("bob", GIB)
    settings = node.settings("50%")._replace(files=1000, files_of={"ada": None})
    size(None)
    assert node.faults(settings)[1:] == [
        "the home of ada has a limit of 5 files, wanted is no limit of files",
        "the home of bob has no limit of files, wanted is a limit of 1000 files",
    ]
    assert node.faults(settings, age_s=11)[1:] == [], "behind new settings they are on their way: two commands a home"
    node.keeper_of(settings).turn()
    assert node.faults(settings)[1:] == []


def test_a_share_follows_the_disk_and_nobody_gets_more_than_there_is(node: Node, daemon: Any, size: Any) -> None:
    node.home("ada")
    node.home("bob")
    keeper = node.keeper("10%", bob="500Gi")
    keeper.turn()
    assert node.calls()[1].endswith(f"/home/bob {100 * GIB}")
    size(101 * GIB)
    keeper.turn()
    assert node.calls() == [], "a volume that breathes sets nothing anew"
    size(200 * GIB)
    keeper.turn()
    assert [call.split()[-1] for call in node.calls()] == [str(20 * GIB), str(200 * GIB)]


def test_without_the_mount_shares_stay_as_they_are_and_sizes_are_set(node: Node, daemon: Any, size: Any) -> None:
    node.home("ada", 7 * GIB)
    node.home("bob")
    size(None)
    node.keeper("50%", bob="1Gi").turn()
    assert node.calls() == [f"volume quota atoll limit-usage /home/bob {GIB}"]


def test_a_directory_that_is_no_mount_has_no_size(tmp_path: Path) -> None:
    """Below the mount lies the node's own disk."""
    assert home_quotas.size_of(str(tmp_path)) is None
    assert home_quotas.size_of(str(tmp_path / "gone")) is None
    assert home_quotas.size_of("/")


@pytest.mark.parametrize("info", ["", "status=0\n" + INFO[9:], INFO.replace("=on", "=off")])
def test_nothing_is_done_to_a_volume_that_is_not_started_or_without_quotas(node: Node, info: str) -> None:
    node.home("ada")
    node.info.write_text(info)
    keeper = node.keeper("50%")
    for _ in range(3):
        keeper.turn()
    assert node.calls() == []
    node.info.unlink()
    keeper.turn()
    assert node.calls() == []
    assert node.faults(node.settings("50%")) == ["quota of the volume atoll is off"]


def test_what_an_earlier_time_with_quotas_left_is_no_limit(node: Node, daemon: Any) -> None:
    node.home("ada", 50 * GIB)
    node.info.write_text(INFO.replace("=2", "=3"))
    assert node.faults(node.settings("50%")) == ["the home of ada has no limit, wanted is a limit of 51200 MiB"]


def test_the_quota_daemon_is_started_when_it_is_away_for_longer(node: Node, daemon: Any) -> None:
    keeper = node.keeper("50%")
    keeper.turn()
    daemon.kill()
    daemon.wait()
    keeper.turn()
    assert node.calls() == [], "glusterd itself starts it anew"
    keeper.turn()
    assert node.calls() == ["volume start atoll force"]


def test_another_program_with_the_number_of_the_daemon_is_not_taken_for_it(node: Node) -> None:
    node.daemon.write_text(str(os.getpid()))
    assert not home_quotas.daemon_runs(str(node.daemon))


def test_what_fails_is_said_once_and_tried_again(node: Node, daemon: Any, capsys: pytest.CaptureFixture[str]) -> None:
    node.home("ada")
    (node.folder / "refuses").write_text("Another transaction is in progress")
    keeper = node.keeper("1Gi")
    keeper.turn()
    keeper.turn()
    assert len(node.calls()) == 2
    said = capsys.readouterr().err
    assert said == (f"gluster volume quota atoll limit-usage /home/ada {GIB}: Another transaction is in progress\n")
    (node.folder / "refuses").unlink()
    keeper.turn()
    assert not node.faults(node.settings("1Gi"))


def test_a_check_says_in_words_what_is_not_as_it_should_be(node: Node, daemon: Any, size: Any) -> None:
    node.home("ada")
    node.home("bob", 3 * GIB)
    wanted = node.settings("1Gi", bob=None)
    words = [
        "the home of ada has no limit, wanted is a limit of 1024 MiB",
        "the home of bob has a limit of 3072 MiB, wanted is no limit",
    ]
    assert node.faults(wanted) == words
    assert node.faults(wanted, age_s=1) == [], "behind new settings they are on their way"
    size(None)
    assert node.faults(wanted)[0].endswith("is not mounted: how much a share of it is cannot be told")
    size(100 * GIB)
    daemon.kill()
    daemon.wait()
    assert node.faults(wanted)[0].startswith("the quota daemon of GlusterFS does not run")


def test_a_gluster_that_answers_nothing_is_an_error_in_words(node: Node) -> None:
    (node.folder / "gluster").write_text("#!/bin/sh\necho Connection failed >&2\nexit 1\n")
    with pytest.raises(home_quotas.QuotaError, match="volume start atoll force: Connection failed"):
        home_quotas.gluster("volume", "start", "atoll", "force")


@pytest.mark.parametrize("text", ["16Mi", "1.5Gi", "200Gi", "3k", "2M", "1P", "1Pi", "17000000"])
def test_sizes_mean_what_cluster_yaml_means_by_them(text: str) -> None:
    assert home_quotas.room(text, 0) == int(amount(text))


def test_a_share_is_one_of_the_volume() -> None:
    assert home_quotas.room("12.5%", 800 * MIB) == 100 * MIB
    with pytest.raises(ValueError, match="neither a size nor a share"):
        home_quotas.room("lots", 1)


def test_the_program_reads_its_settings_and_checks(
    node: Node, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = node.folder / "settings.json"
    settings.write_text(
        f'{{"volume": "nowhere", "homes": "{node.homes}", "mount": "/", "limit": "50%", "limits": {{"ada": null}}, '
        '"files": 1000, "files_of": {"ada": null}}'
    )
    monkeypatch.setattr(home_quotas, "SETTINGS", str(settings))
    assert home_quotas.settings_of(str(settings)).limits == {"ada": None}
    assert home_quotas.settings_of(str(settings)).files == 1000
    assert home_quotas.main(["--check"]) == 1
    assert capsys.readouterr().err == "quota of the volume nowhere is off\n"
