"""Installing packages: others who install are waited for, and services start again afterwards. Needs nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PACKAGES = [{"name": "one", "version": "1.0", "file": "one.deb"}]
WANTED = {
    "phase": "host",
    "groups": ["host"],
    "packages": PACKAGES,
    "wanted": ["one"],
    "staged": {"one.deb": "/one.deb"},
}


@pytest.fixture
def policy(plugin: Any, programs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the policy lies; `apt-get` installs only if it forbids services to start."""
    module, place, done = plugin("modules", "atoll_packages"), tmp_path / "policy-rc.d", tmp_path / "installed"
    monkeypatch.setattr(module, "POLICY", str(place))
    programs("dpkg-query", f'test -e {done} && printf "one\\t1.0\\tii \\n"; exit 0')
    programs("dpkg", "exit 0")
    programs("apt-get", f"{place} && exit 1; touch {done}")
    return place


def test_an_update_in_the_background_is_waited_for(run: Any, policy: Path, tmp_path: Path) -> None:
    assert run("atoll_packages", **WANTED)["changed"]
    assert "-o DPkg::Lock::Timeout=600 " in (tmp_path / "log").read_text()
    assert not policy.exists()


def test_services_start_again_after_a_run_that_was_killed_while_it_installed(
    run: Any, policy: Path, plugin: Any
) -> None:
    policy.write_bytes(plugin("modules", "atoll_packages").POLICY_SAYS_NO)
    assert run("atoll_packages", **WANTED)["changed"]
    assert not policy.exists()


def test_the_policy_of_somebody_else_stays(run: Any, policy: Path) -> None:
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    assert run("atoll_packages", **WANTED)["changed"]
    assert policy.read_text() == "#!/bin/sh\nexit 101\n"


def test_what_a_killed_run_left_is_configured_when_who_still_does_so_has_ended(
    run: Any, policy: Path, programs: Any, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = [tmp_path / name for name in ("lock-frontend", "lock")]
    for name, lock in zip(("FRONTEND_LOCK", "DATABASE_LOCK"), locks, strict=True):
        monkeypatch.setattr(plugin("modules", "atoll_packages"), name, str(lock), raising=False)
    busy, half = tmp_path / "busy", tmp_path / "half"
    half.touch()
    # dpkg ends at once when another one holds its locks, and starts services if no policy forbids it.
    programs(
        "dpkg",
        f'case "$1" in --audit) test -e {half} && echo half; exit 0;; esac\n'
        f"test -e {busy} && exit 2; {policy} && exit 3; test $DPKG_FRONTEND_LOCKED = 1 || exit 4; rm {half}",
    )
    other = (
        "import fcntl, os, sys, time\n"
        "files = [open(path, 'w') for path in sys.argv[2:]]\n"
        "[fcntl.lockf(file, fcntl.LOCK_EX) for file in files]\n"
        "open(sys.argv[1], 'w'); print(flush=True); time.sleep(1); os.unlink(sys.argv[1])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", other, str(busy), *map(str, locks)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        result = run("atoll_packages", **WANTED)

    assert result.get("msg") is None
    assert not half.exists()


def test_who_installs_packages_for_ever_is_named(
    run: Any, policy: Path, programs: Any, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "lock-frontend"
    monkeypatch.setattr(plugin("modules", "atoll_packages"), "FRONTEND_LOCK", str(lock), raising=False)
    monkeypatch.setattr(plugin("modules", "atoll_packages"), "LOCK_S", 0)
    programs("dpkg", "echo half")
    other = (
        "import fcntl, sys\nfile = open(sys.argv[1], 'w'); fcntl.lockf(file, fcntl.LOCK_EX); print(flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", other, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        said = run("atoll_packages", **WANTED)["msg"]
        process.communicate(b"\n")

    assert f"fuser -v {lock}" in said
    assert not policy.exists()
