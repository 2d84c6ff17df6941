"""The parts of a master, replaced by our module against a kubeadm and a kubelet of a few lines. Needs nothing."""

from __future__ import annotations

import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

API_SERVER = "kube-apiserver"
# A master that stands: kubeadm has nothing to do but to say what its parts have to run with.
MADE = {"verb": "init", "config": "/c.yaml", "settings": "/c.yaml"}
PARTS = (API_SERVER, "kube-controller-manager", "kube-scheduler")


def manifest(part: str, flag: str, version: str) -> str:
    return f"spec:\n  containers:\n  - command:\n    - {part}\n    - --{flag}\n    image: r/{part}:{version}\n"


class Master:
    """The directory of manifests, and who runs what lies there: a process per part, as the kubelet does it."""

    def __init__(self, folder: Path, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.module = folder, module
        self.logs = folder.parent / "logs"
        self.starts = 0
        self.history: list[str] = []
        self.running: dict[str, tuple[str, subprocess.Popen[bytes]]] = {}
        self.lock = threading.RLock()
        folder.mkdir()
        for part in PARTS:
            (folder / f"{part}.yaml").write_text(manifest(part, "old", "v1.36.2"))
        monkeypatch.setattr(module, "MANIFESTS", str(folder))
        monkeypatch.setattr(module, "PAUSE_S", 0.01)
        monkeypatch.setattr(module, "LOGS", str(self.logs))
        monkeypatch.setattr(module, "answers", lambda part: self.flag(part) not in ("bad", "ends"))
        self.look()
        self.history.clear()

    def look(self) -> None:
        """As the kubelet: a manifest that changed is run instead of the one that ran, and what ended is run again."""
        with self.lock:
            for part in PARTS:
                text = (self.folder / f"{part}.yaml").read_text()
                before = self.running.get(part)
                if before is None or before[0] != text:
                    self.end(part)
                    self.history.append(part)
                elif before[1].poll() is None:
                    continue
                argv = [part, "0" if "--ends" in text else "60"]
                self.running[part] = (text, subprocess.Popen(argv, executable="/bin/sleep"))
                self.log(part, text)

    def log(self, part: str, text: str) -> None:
        """A start has a log of its own, in the folder of its pod, which is one of its manifest."""
        folder = self.logs / f"kube-system_{part}-master1_{zlib.crc32(text.encode())}" / part
        folder.mkdir(parents=True, exist_ok=True)
        self.starts += 1
        said = f"2026-11-23T18:00:00.{self.starts}Z stderr F E1123 unknown flag: --{text.split('--')[1].split()[0]}\n"
        (folder / f"{len(list(folder.iterdir()))}.log").write_text(said)

    def end(self, part: str) -> None:
        if part in self.running:
            self.running[part][1].kill()
            self.running[part][1].wait()

    def flag(self, part: str) -> str:
        """Of the one that runs now: between the end of one and the next none does."""
        with self.lock:
            return self.running[part][0].split("--")[1].split()[0]


@pytest.fixture
def master(plugin: Any, module_utility: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Master]:
    made = Master(tmp_path / "manifests", module_utility("atoll_control_plane"), monkeypatch)
    kubeadm, root = plugin("modules", "atoll_kubeadm"), tmp_path / "kubernetes"
    root.mkdir()
    (root / "admin.conf").write_text("made")
    monkeypatch.setattr(kubeadm.state_of, "__defaults__", (str(root),))
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "kubeadm.json").write_text('{"verb": "init", "state": "done"}')
    ended = threading.Event()

    def kubelet() -> None:
        while not ended.wait(0.02):
            made.look()

    thread = threading.Thread(target=kubelet)
    thread.start()
    yield made
    ended.set()
    thread.join()
    for part in PARTS:
        made.end(part)


@pytest.fixture
def kubeadm(programs: Callable[[str, str], Path]) -> Callable[..., Path]:
    """A kubeadm that writes manifests with a flag by part."""

    def writes(**flags: str) -> Path:
        lines = [
            f"printf '%s' '{manifest(part, flags.get(part.replace('-', '_'), 'old'), 'v1.36.3')}' "
            f'> "$KUBEADM_INIT_DRYRUN_DIR/{part}.yaml"'
            for part in PARTS
        ]
        return programs("kubeadm", "\n".join(lines))

    return writes


def test_a_master_that_runs_with_its_settings_is_left_alone(run: Any, master: Master, kubeadm: Any) -> None:
    log = kubeadm()
    done = run("atoll_kubeadm", **MADE)
    assert (done["changed"], done["replaced"]) == (False, [])
    assert master.history == []
    assert log.read_text() == "kubeadm init phase control-plane all --dry-run --config /c.yaml\n"


def test_a_changed_flag_reaches_a_master_that_was_made_without_it(run: Any, master: Master, kubeadm: Any) -> None:
    kubeadm(kube_apiserver="new")
    rehearsed = run("atoll_kubeadm", check=True, **MADE)
    assert (rehearsed["replaced"], master.history) == ([API_SERVER], [])
    done = run("atoll_kubeadm", **MADE)
    assert (done["changed"], done["replaced"]) == (True, [API_SERVER])
    assert master.history == [API_SERVER]
    assert master.flag(API_SERVER) == "new"
    assert "v1.36.2" in (master.folder / f"{API_SERVER}.yaml").read_text(), "it keeps its version"
    assert (master.folder / f"{API_SERVER}.yaml").stat().st_mode & 0o777 == 0o600
    assert not run("atoll_kubeadm", **MADE)["changed"]


def test_a_part_that_does_not_come_up_gives_its_place_back(run: Any, master: Master, kubeadm: Any) -> None:
    kubeadm(kube_apiserver="bad", kube_scheduler="new")
    failed = run("atoll_kubeadm", **MADE, part_timeout_s=1)
    assert failed["failed"]
    assert "kube-apiserver did not come up" in failed["msg"]
    assert failed["msg"].endswith("Its last lines:\n  E1123 unknown flag: --bad")
    assert (master.folder / f"{API_SERVER}.yaml").read_text() == manifest(API_SERVER, "old", "v1.36.2")
    end = time.monotonic() + 10
    while len(master.history) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    assert master.history == [API_SERVER, API_SERVER], "the next part is not touched"


def test_a_part_that_ends_again_and_again_is_told_at_once_with_its_last_lines(
    run: Any, master: Master, kubeadm: Any
) -> None:
    kubeadm(kube_apiserver="ends")
    began = time.monotonic()
    failed = run("atoll_kubeadm", **MADE, part_timeout_s=60)
    assert time.monotonic() - began < 30, "it waited for its time to be over"
    assert failed["msg"] == (
        "kube-apiserver ends again and again with its new settings, so the ones of before are back. Its last lines:\n"
        "  E1123 unknown flag: --ends"
    )
    assert (master.folder / f"{API_SERVER}.yaml").read_text() == manifest(API_SERVER, "old", "v1.36.2")


def test_a_kubelet_that_does_not_look_is_not_taken_for_a_start(run: Any, master: Master, kubeadm: Any) -> None:
    kubeadm(kube_scheduler="new")
    with master.lock:
        failed = run("atoll_kubeadm", **MADE, part_timeout_s=1)
    assert "kube-scheduler did not come up" in failed["msg"]
    assert failed["msg"].endswith("(it said nothing)")


def test_a_master_without_a_part_is_named(run: Any, master: Master, kubeadm: Any) -> None:
    kubeadm()
    text = (master.folder / "kube-scheduler.yaml").read_text()
    with master.lock:
        (master.folder / "kube-scheduler.yaml").unlink()
        failed = run("atoll_kubeadm", **MADE)
        (master.folder / "kube-scheduler.yaml").write_text(text)
    assert "no kube-scheduler in" in failed["msg"]


def noted(version: str, content: str) -> str:
    """A manifest with the digest that the tag had."""
    image = f"    atoll.io/image: sha256:{content}\n" if content else ""
    return f"metadata:\n  annotations:\n{image}    other: x\n" + manifest(API_SERVER, "old", version)


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        (noted("v1", "a"), noted("v1", "b"), noted("v1", "b")),  # built anew under its tag
        (noted("v1", ""), noted("v1", "b"), noted("v1", "b")),
        (noted("v1", "a"), noted("v2", "b"), noted("v1", "a")),  # an upgrade is more than this
        (noted("v1", ""), noted("v2", "b"), noted("v1", "")),
    ],
)
def test_a_master_keeps_its_version_and_gets_what_is_built_anew_under_its_tag(
    module_utility: Any, old: str, new: str, runs: str
) -> None:
    assert module_utility("atoll_control_plane").with_image_of(old, new) == runs
