"""After the removal: the registry is gone, and images are not."""

from __future__ import annotations

from typing import Any

UNIT = "atoll-registry.service"


def test_nothing_of_the_registry_runs_or_comes_back_at_the_next_boot(host: Any, listening: set[str]) -> None:
    assert "*:5443" not in listening
    assert not host.service(UNIT).is_running
    assert host.check_output("find /etc/systemd /run/systemd/generator -name 'atoll-registry*'") == ""
    assert not host.file("/opt/atoll/bin/registry").exists
    assert not host.file("/etc/atoll/registry").exists


def test_systemd_has_forgotten_the_unit(host: Any) -> None:
    assert host.check_output(f"systemctl show -p LoadState --value {UNIT}") == "not-found"


def test_images_are_kept(host: Any, variables: dict[str, Any]) -> None:
    assert host.check_output(f"find {variables['registry_directory']} -name data -type f") != ""
