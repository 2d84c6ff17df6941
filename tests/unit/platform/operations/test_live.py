"""Who is told that an operation changed. Needs nothing: the running platform is in `test_operations.py`."""

from types import SimpleNamespace
from typing import Any

import pytest
from atoll.operations.live import OperationAudience
from atoll.operations.repository import OperationRepository


@pytest.mark.parametrize(("payload", "told"), [("ada 01", True), ("eve 01", False), ("ada 02", False)])
async def test_an_operation_that_is_told_with_another_owner_reaches_nobody(
    monkeypatch: pytest.MonkeyPatch, payload: str, told: bool
) -> None:
    """Whoever has an account of the database may tell what they like."""
    rows = {"01": SimpleNamespace(id="01", owner_id="ada")}

    async def of_anybody(_repository: Any, operation_id: str) -> Any:
        return rows.get(operation_id)

    monkeypatch.setattr(OperationRepository, "of_anybody", of_anybody)
    session: Any = None
    assert (await OperationAudience().read(session, payload) is not None) == told
