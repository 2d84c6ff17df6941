"""What the tests on the node know: the inventory's variables, the bundle, and the certificates on the control host."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import testinfra  # type: ignore[import-untyped]

from installer.cluster import bundle_directory, load
from installer.planning import collect
from installer.planning.inventory import inventory


@pytest.fixture(scope="session")
def variables() -> dict[str, Any]:
    cluster = load(os.environ["ATOLL_CLUSTER_FILE"])
    made = inventory(cluster, collect(cluster, bundle_directory()), bundle_directory())
    return made.variables | made.hosts["node1"]


@pytest.fixture(scope="session")
def host(variables: dict[str, Any]) -> Any:
    """The node, reached as the inventory says."""
    shared = (
        f"-o ControlMaster=auto -o ControlPersist=60s -o ControlPath={os.environ['ANSIBLE_SSH_CONTROL_PATH_DIR']}/%C"
    )
    return testinfra.get_host(
        f"ssh://{variables['ansible_user']}@{variables['ansible_host']}:{variables['ansible_port']}",
        ssh_identity_file=variables["ansible_ssh_private_key_file"],
        ssh_extra_args=f"{variables['ansible_ssh_common_args']} {shared}",
    )


@pytest.fixture(scope="session")
def bundle(variables: dict[str, Any]) -> Path:
    return Path(variables["atoll_bundle"])


@pytest.fixture(scope="session")
def pki(variables: dict[str, Any]) -> Path:
    return Path(variables["atoll_state"]) / "pki"


@pytest.fixture(scope="session")
def groups(host: Any, bundle: Path) -> dict[str, list[str]]:
    """The packages of each group of the bundle, for the node's system."""
    system = f"{host.system_info.distribution}-{host.system_info.release.split('.')[0]}"
    found: dict[str, list[str]] = json.loads((bundle / "os" / system / "amd64" / "groups.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="session")
def attributes(host: Any) -> Callable[..., list[str]]:
    """Mode, owner and group of paths on the node, in one look."""

    def look(*paths: str) -> list[str]:
        lines: list[str] = host.check_output("stat --format '%a %U:%G' " + " ".join(paths)).splitlines()
        return lines

    return look


@pytest.fixture
def listening(host: Any) -> set[str]:
    """Where the node takes TCP connections: address:port."""
    rows = host.check_output("ss --numeric --listening --tcp --no-header").splitlines()
    return {row.split()[3] for row in rows}
