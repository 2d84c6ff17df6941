"""Needs the cluster that the suite `system` leaves running. `--submissions 50` is a short form, to try it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from tests.quota.pretended import Machines, pretended
from tests.quota.shares import Ledger
from tests.quota.watching import Watcher, watching
from tests.system.harness import CLUSTER_FILE, SEED, Atoll, Portal
from tests.system.people import User, people

GPU_NODES, NPU_NODES = 6, 4


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--submissions", type=int, default=500, help="how many tasks are submitted at random")


def pytest_report_header() -> str:
    return f"quota tests: seed {SEED} (ATOLL_TEST_SEED)"


@pytest.fixture
def submissions(request: pytest.FixtureRequest) -> int:
    wanted: int = request.config.getoption("--submissions")
    return wanted


@pytest.fixture
def lot() -> random.Random:
    print(f"seed {SEED} (ATOLL_TEST_SEED={SEED} does the same again)")
    return random.Random(SEED)


@pytest.fixture(scope="session")
def atoll() -> Atoll:
    return Atoll(CLUSTER_FILE)


@pytest.fixture(scope="session", autouse=True)
def machines(atoll: Atoll) -> Iterator[Machines]:
    """Cards for hundreds of tasks, on machines that are not there."""
    with pretended(atoll, GPU_NODES, NPU_NODES) as there:
        yield there


@pytest.fixture
def portal(atoll: Atoll) -> Iterator[Portal]:
    signed_in = Portal(atoll)
    yield signed_in
    signed_in.client.close()


@pytest.fixture
def made(atoll: Atoll, portal: Portal) -> Iterator[Callable[[str], User]]:
    with people(atoll, portal) as make:
        yield make


@pytest.fixture
def watcher(atoll: Atoll, machines: Machines) -> Iterator[Watcher]:
    """Looks on from before anything is granted until all has ended."""
    with watching(atoll.state / "admin.conf", Ledger()) as watcher:
        yield watcher
