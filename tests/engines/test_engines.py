"""Which engines there are is said in one place; each has its bench here."""

from __future__ import annotations

from typing import get_args

from atoll.configuration import Engine

from tests.engines.conftest import ENGINES


def test_every_engine_that_a_configuration_may_name_is_tried() -> None:
    assert set(get_args(Engine.model_fields["kind"].annotation)) == set(ENGINES)
