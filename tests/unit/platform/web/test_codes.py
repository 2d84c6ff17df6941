"""Codes and what they say. Needs nothing but mypy."""

import subprocess
import sys
from pathlib import Path

import pytest
from atoll.web.codes import CodeError, FieldCode, ProblemCode, ReasonCode, restored
from atoll.web.errors import Conflict, TooMany
from atoll.web.schema import CodeName, FieldError, Reason

from tests.unit.platform.web.test_errors import answer

TREE = Path(__file__).parents[4]


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
    assert told == Reason(code=CodeName("stopped_by_user"), message="ada stopped it.", params={"user": "ada"})
    assert ExitCode.code == "exit_code_of_program"


def test_a_field_error_names_its_field_and_reads_lists_as_words() -> None:
    told = DeviceCountNotAllowed(counts=(1, 2)).at("devices")
    message = "Choose one of 1, 2."
    assert told == FieldError(
        field="devices", code=CodeName("device_count_not_allowed"), message=message, params={"counts": [1, 2]}
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


class Waits(ProblemCode, title="Too often", remedy="Wait {minutes} minutes."):
    minutes: int


def test_a_problem_is_told_with_its_detail_its_remedy_and_its_title() -> None:
    error = Conflict(NotEnded(state="running"))
    told = (error.code, error.detail, error.problem.params, error.status)
    assert told == ("not_ended", "It is running.", {"state": "running"}, 409)
    texts = {".title": "It has not ended", ".detail": "It is {state}.", ".remedy": "Stop it first."}
    assert NotEnded.texts() == texts


async def test_a_problem_takes_its_parameters_over_the_wire() -> None:
    said = await answer(TooMany(Waits(minutes=15), headers={"Retry-After": "900"}))
    assert said.headers["retry-after"] == "900"
    assert said.json() == {
        "type": "urn:atoll:problem:waits",
        "title": "Too often",
        "status": 429,
        "code": "waits",
        "detail": "Too often.",
        "remedy": "Wait 15 minutes.",
        "params": {"minutes": 15},
        "request_id": "",
        "errors": [],
    }


def test_what_another_service_told_is_the_declared_problem_again() -> None:
    kinds = (Waits, NotEnded)
    assert restored(kinds, "not_ended", {"state": "running", "more": 1}) == NotEnded(state="running")
    assert restored(kinds, "not_ended", {}) is None
    assert restored(kinds, "of_another_version", {"state": "running"}) is None


def test_a_program_that_tells_what_is_not_declared_does_not_type_check(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from atoll.tasks.codes import ReplicaWaiting\n"
        "from atoll.web.errors import NotFound\n"
        "from atoll.web.schema import FieldError, Reason\n"
        "\n"
        'Reason(code="replica_waiting", message="Rank 0 waits.")\n'
        'FieldError(field="rank", code="replica_waiting", message="Rank 0 waits.")\n'
        'NotFound("There is no such replica.")\n'
        "ReplicaWaiting().reason()\n"
        'ReplicaWaiting(rank="first").reason()\n'
        "ReplicaWaiting(rank=0, node=1).reason()\n"
        "ReplicaWaiting(rank=0).reason()\n"
    )
    mypy = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        "pyproject.toml",
        "--no-incremental",
        "--follow-imports=silent",
    ]
    ended = subprocess.run([*mypy, str(program)], cwd=TREE, capture_output=True, text=True, timeout=300, check=False)
    wrong = {int(line.split(":")[1]) for line in ended.stdout.splitlines() if line.startswith(str(program))}
    assert wrong == {5, 6, 7, 8, 9, 10}, ended.stdout + ended.stderr


def test_only_declarations_name_codes() -> None:
    makers = {
        path.relative_to(TREE).as_posix()
        for path in (TREE / "platform/atoll").rglob("*.py")
        if "CodeName(" in path.read_text()
    }
    assert makers == {"platform/atoll/web/codes.py"}
