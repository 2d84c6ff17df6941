"""Needs root, the bundle (built or in the cache) and 12 GiB of memory. One install serves every test of this folder.

The files run in the order of their numbers; each finds the cluster as the ones before it left it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from tests.system.command_lines import CommandLines
from tests.system.harness import CLUSTER_FILE, SCRATCH, SEED, Atoll, Portal, test_cluster, write_cluster


def pytest_report_header() -> str:
    return f"system tests: seed {SEED} (ATOLL_TEST_SEED), state in {SCRATCH}"


@pytest.fixture(scope="session")
def seed() -> random.Random:
    return random.Random(SEED)


@pytest.fixture(scope="session", autouse=True)
def command_lines() -> Iterator[CommandLines]:
    watcher = CommandLines()
    watcher.start()
    yield watcher
    watcher.stop()


@pytest.fixture(scope="session")
def atoll() -> Atoll:
    SCRATCH.mkdir(parents=True, exist_ok=True)
    if not CLUSTER_FILE.exists():
        write_cluster(test_cluster())
    return Atoll(CLUSTER_FILE)


@pytest.fixture
def edit_cluster() -> Callable[[Callable[[dict[str, Any]], None]], None]:
    def edit(change: Callable[[dict[str, Any]], None]) -> None:
        cluster = yaml.safe_load(CLUSTER_FILE.read_text("utf-8"))
        change(cluster)
        write_cluster(cluster)

    return edit


@pytest.fixture
def portal(atoll: Atoll) -> Iterator[Portal]:
    signed_in = Portal(atoll)
    yield signed_in
    signed_in.client.close()
