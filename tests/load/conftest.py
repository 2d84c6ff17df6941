"""Needs the cluster that the suite `system` leaves running. `--load-seconds 30` is a short form, to try it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.system.harness import CLUSTER_FILE, Atoll, Portal


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--load-seconds", type=float, default=300, help="how long one user asks for all there is")


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> float:
    chosen: float = request.config.getoption("--load-seconds")
    return chosen


@pytest.fixture(scope="session")
def atoll() -> Atoll:
    return Atoll(CLUSTER_FILE)


@pytest.fixture
def portal(atoll: Atoll) -> Iterator[Portal]:
    signed_in = Portal(atoll)
    yield signed_in
    signed_in.client.close()
