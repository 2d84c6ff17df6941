"""A portal where people may sign in by others, which are servers of ours."""

import socket
from collections.abc import Iterator

import pytest

from tests.unit.platform.browsers import different, provider, wechat
from tests.unit.platform.people import portal

__all__ = ["different", "portal", "provider", "wechat"]


@pytest.fixture
def silent() -> Iterator[int]:
    """A port at which somebody takes connections and says nothing."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen(8)
        yield door.getsockname()[1]
