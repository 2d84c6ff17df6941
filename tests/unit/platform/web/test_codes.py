"""Codes and what they say. Needs nothing."""

import pytest
from atoll.web.codes import CodeError, FieldCode, ProblemCode, ReasonCode
from atoll.web.errors import Conflict
from atoll.web.schema import FieldError, Reason


class StoppedByUser(ReasonCode, words="{user} stopped it."):
    user: str


class DevicesInUse(ReasonCode, words="It needs {needed}, {free} are free."):
    needed: int
    free: int


class DevicesMissing(ReasonCode, brief_of=DevicesInUse, words="Still missing: {more}."):
    more: int


class DeviceCountNotAllowed(FieldCode, words="Choose one of {counts}."):
    counts: tuple[int, ...]


class ExitCode(ReasonCode, code="exit_code_of_program", words="It ended."):
    pass


class NotScheduled(ReasonCode, words="No node takes it: {message}"):
    message: str


class NotEnded(ProblemCode, title="It has not ended", detail="It is {state}.", remedy="Stop it first."):
    state: str


def test_a_reason_is_its_code_its_words_and_its_parameters() -> None:
    told = StoppedByUser(user="ada").reason()
    assert told == Reason(code="stopped_by_user", message="ada stopped it.", params={"user": "ada"})
    assert ExitCode.code == "exit_code_of_program"


def test_a_field_error_names_its_field_and_reads_lists_as_words() -> None:
    told = DeviceCountNotAllowed(counts=(1, 2)).at("devices")
    message = "Choose one of 1, 2."
    assert told == FieldError(
        field="devices", code="device_count_not_allowed", message=message, params={"counts": [1, 2]}
    )


def test_a_parameter_may_be_called_message() -> None:
    told = NotScheduled(message="0 of 3").reason()
    assert (told.message, told.params) == ("No node takes it: 0 of 3", {"message": "0 of 3"})


def test_who_knows_less_uses_the_brief_words() -> None:
    assert DevicesInUse(needed=2, free=1).text == "It needs 2, 1 are free."
    told = DevicesMissing(more=1).reason()
    assert told == Reason(code=DevicesInUse.code, message="Still missing: 1.", params={"more": 1})
    assert DevicesMissing.texts() == {"_brief": "Still missing: {more}."}


def test_a_parameter_that_holds_braces_is_not_read_as_words() -> None:
    assert StoppedByUser(user="{user}").text == "{user} stopped it."


def test_words_that_need_what_is_not_told_are_refused_when_they_are_declared() -> None:
    with pytest.raises(CodeError, match="who"):

        class Nobody(ReasonCode, words="{who} did it."):
            pass


class Failed(ProblemCode, title="It failed", detail="{detail}"):
    detail: str


def test_a_problem_is_told_with_its_detail_its_remedy_and_its_title() -> None:
    error = Conflict(NotEnded(state="running"))
    told = (error.code, error.title, error.detail, error.remedy, error.status)
    assert told == ("not_ended", "It has not ended", "It is running.", "Stop it first.", 409)


def test_portals_show_the_servers_detail_in_every_language_only_where_it_is_another_parts_own_words() -> None:
    assert NotEnded.texts() == {".title": "It has not ended", ".remedy": "Stop it first."}
    assert Failed.texts() == {".title": "It failed", ".detail": "{detail}"}
