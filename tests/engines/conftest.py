"""Needs the virtual environment; `--engine=kubernetes` instead the cluster that the suite `system` leaves running.

One suite for all engines. What differs between them is a bench: how the engine is made, where its user data lie.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.engines.bench import Bench, Started
from tests.engines.kubernetes_bench import kubernetes_bench, leave_nothing
from tests.engines.local_bench import local_bench

ENGINES = {"local": local_bench, "kubernetes": kubernetes_bench}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=sorted(ENGINES), default="local", help="which engine has to conform")


@pytest.fixture(scope="session", autouse=True)
def _left_as_found(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if request.config.getoption("--engine") == "kubernetes":
        leave_nothing()


@pytest.fixture
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Bench]:
    """The engine under test, with a virtual cluster, a member of it and a home."""
    async with ENGINES[request.config.getoption("--engine")](tmp_path) as made:
        for capability in (mark.args[0] for mark in request.node.iter_markers("needs")):
            if capability not in made.engine.capabilities:
                pytest.skip(f"the engine declares that it has no `{capability}`")
        yield made


@pytest.fixture
async def start(bench: Bench) -> AsyncIterator[Started]:
    """Submits programs, and ends what is left of them."""
    started = Started(bench)
    yield started
    await started.clean_up()
