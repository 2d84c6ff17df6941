"""Installing packages: others who install are waited for, and services start again afterwards. Needs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PACKAGES = [{"name": "one", "version": "1.0", "file": "one.deb"}]
WANTED = {"phase": "host", "group": "host", "packages": PACKAGES, "wanted": ["one"], "staged": {"one.deb": "/one.deb"}}


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
