"""Edits of what was read. Needs nothing."""

from types import SimpleNamespace
from typing import Any

import pytest
from atoll.web.conditional import etag, expect
from atoll.web.errors import Changed
from fastapi import Response

ROW: Any = SimpleNamespace(version=7)


@pytest.mark.parametrize("if_match", [None, "*", '"7"', 'W/"7"', '"6", "7"'])
def test_what_was_read_last_may_be_edited(if_match: str | None) -> None:
    expect(ROW, if_match)


@pytest.mark.parametrize("if_match", ['"6"', '"70"', '""', '"6", "8"'])
def test_what_has_changed_since_it_was_read_may_not(if_match: str) -> None:
    with pytest.raises(Changed):
        expect(ROW, if_match)


def test_an_answer_names_what_an_edit_of_it_expects() -> None:
    response = Response()
    assert etag(response, ROW) is ROW
    expect(ROW, response.headers["ETag"])
