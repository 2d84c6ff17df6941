"""Needs the bundle (built or in the cache): its etcd and its API server run here, with the files of a master and the
objects of the roles that say who may do what. One server serves every test; what is tried is asked of it and not kept.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apiserver.server import ApiServer, Object, running
from tests.system.harness import bundled
from tests.unit.workloads import bundle as parts
from tests.unit.workloads.conftest import REFERENCE, file_of, render

PARTS = ("program/kubernetes", "program/etcd", "program/kueue", "manifest/jobset", "manifest/kueue")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--submissions", type=int, default=30, help="how many tasks are submitted at random")


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the bundle as much as is needed; one that is named is taken as it is."""
    return bundled(tmp_path_factory.mktemp("bundle"), *PARTS)


@pytest.fixture(scope="session")
def installed(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Object]:
    """What all roles apply to the reference topology, with the bundle's own manifests of JobSet and Kueue."""
    root = tmp_path_factory.mktemp("rendered")
    made = parts.write(root / "bundle")
    for part in ("jobset", "kueue"):
        shutil.copyfile(bundle / f"manifests/{part}.yaml", made / f"manifests/{part}.yaml")
    return render(file_of(REFERENCE), root).objects()


@pytest.fixture(scope="session")
def api_server(bundle: Path, installed: list[Object], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with running(bundle, tmp_path_factory.mktemp("api-server"), installed) as server:
        yield server
