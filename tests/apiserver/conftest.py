"""Needs the bundle (built or in the cache): its etcd and its API server run here, with the files of a master and the
objects of the role `platform`. One server serves every test; what is tried is asked of it and not kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apiserver.server import ApiServer, running
from tests.system.harness import Atoll

PARTS = ("program/kubernetes", "program/etcd", "manifest/jobset", "manifest/kueue")


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the bundle as much as is needed; one that is named is taken as it is."""
    if "ATOLL_BUNDLE" in os.environ:
        return Path(os.environ["ATOLL_BUNDLE"])
    made = tmp_path_factory.mktemp("bundle")
    Atoll(made / "none")("bundle", "build", "--bundle", str(made), *PARTS, timeout_s=3600)
    return made


@pytest.fixture(scope="session")
def api_server(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with running(bundle, tmp_path_factory.mktemp("api-server")) as server:
        yield server
