"""What somebody may not know of is answered as what never was: the same words, and the same questions on the way.

Every operation with an object in its path × who may not know of that object. On a real database.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import httpx
import pytest
from atoll.api.domains import DOMAINS
from atoll.identity.dependencies import Guard
from atoll.identity.permissions import PermissionKind
from atoll.web.domain import ABSENT, DENIED, HIDDEN
from atoll.web.requests import SAFE_METHODS

from tests.bench import people
from tests.unit.platform.conftest import Client, RunningPlatform, training
from tests.unit.platform.round_trips import Questions, asked, questions
from tests.unit.platform.web.objects import OF_NOBODY, WITH_OBJECTS, path_of, request_of
from tests.unit.platform.web.test_permission_matrix import (
    GUARDS,
    SIGNED_OUT,
    Who,
    held,
    places_of,
    programs,
    who_ask,
)

__all__ = ["asked", "questions"]


@dataclass(frozen=True)
class Objects:
    """The owner's objects, by the places in paths, and others that never were."""

    there: Mapping[str, str]
    never: Mapping[str, str]


def may_know(who: Who, operation: str) -> bool:
    """Whether that caller may know which of the objects of `Objects` there are."""
    guard = GUARDS[operation]
    assert isinstance(guard, Guard), operation
    if guard.permission is None:
        return who == "owner"  # sessions and tokens are everybody's own
    of_administrators = PermissionKind.PLATFORM not in guard.permission.kinds
    match who:
        case "admin":
            return True
        case "owner":
            return not of_administrators
        case "custom" | "administrator_alone":
            asked = [each for each in (guard.permission, *guard.others) if held(who, each)]
            return bool(asked) and PermissionKind.PLATFORM not in asked[0].kinds
        case _:
            return False


async def ask(client: Client, operation: str, objects: Mapping[str, str], **headers: str) -> httpx.Response:
    return await client.http.request(**request_of(operation, objects), headers=headers)


def said(answer: httpx.Response, objects: Mapping[str, str]) -> tuple[int, Any, dict[str, str]]:
    """Status, body and headers, but for the id of the request, the time of day, and the ids that were asked for."""
    text = answer.text
    for place, identifier in objects.items():
        text = text.replace(identifier, f"<{place}>")
    headers = {key: value for key, value in answer.headers.items() if key not in ("date", "x-request-id")}
    return answer.status_code, {**json.loads(text), "request_id": ""}, headers


async def objects_of(platform: RunningPlatform, admin: Client, owner: Client, program: Any) -> Objects:
    """One of each kind that paths name."""
    there = await places_of(platform, admin, owner, program)
    return Objects(there, {place: each[:-1] + ("0" if each[-1] != "0" else "1") for place, each in there.items()})


@pytest.fixture
async def callers(platform: RunningPlatform) -> dict[Who, Client]:
    return await who_ask(platform)


@pytest.fixture
async def objects(platform: RunningPlatform, callers: dict[Who, Client], program: Any) -> Objects:
    return await objects_of(platform, callers["admin"], callers["owner"], program)


async def test_what_nobody_may_know_of_is_there_for_an_administrator(
    callers: dict[Who, Client], objects: Objects
) -> None:
    """Else two answers that are alike would say nothing."""
    places = {part for operation in WITH_OBJECTS for part in operation.split("/") if part.startswith("{")}
    assert {place.strip("{}") for place in places} <= {*objects.there, *OF_NOBODY}
    for operation in WITH_OBJECTS:
        if not operation.startswith("GET "):
            continue
        seen, unseen = [(await ask(callers["admin"], operation, each)) for each in (objects.there, objects.never)]
        assert (seen.is_success and unseen.status_code == HIDDEN) or seen.status_code == ABSENT, operation


async def test_what_is_somebody_elses_and_what_never_was_are_answered_alike(
    callers: dict[Who, Client], objects: Objects
) -> None:
    tried: Counter[int] = Counter()
    different = []
    for who, client in callers.items():
        for operation in WITH_OBJECTS:
            if may_know(who, operation):
                continue
            method = operation.partition(" ")[0]
            for headers in ({},) if method in SAFE_METHODS else ({}, {"If-Match": '"999"'}):
                told = [
                    said(await ask(client, operation, each, **headers), each) for each in (objects.there, objects.never)
                ]
                tried[told[0][0]] += 1
                if told[0] != told[1] or told[0][0] not in (SIGNED_OUT, DENIED, HIDDEN):
                    different.append(f"{who}: {operation}: {told[0]} is told apart from {told[1]}")
    assert not different, "\n".join(different)
    assert min(tried[status] for status in (SIGNED_OUT, DENIED, HIDDEN)) >= len(objects.there)


async def test_a_program_is_told_of_what_is_somebody_elses_as_of_what_never_was(
    platform: RunningPlatform, callers: dict[Who, Client], objects: Objects
) -> None:
    tried: Counter[int] = Counter()
    different = []
    for (who, read_only), client in (await programs(platform, callers)).items():
        for operation in WITH_OBJECTS:
            if may_know(who, operation):
                continue
            told = [said(await ask(client, operation, each), each) for each in (objects.there, objects.never)]
            tried[told[0][0]] += 1
            if told[0] != told[1] or told[0][0] not in (DENIED, HIDDEN):
                named = f"a program of {who}{' that reads only' * read_only}"
                different.append(f"{named}: {operation}: {told[0]} is told apart from {told[1]}")
    assert not different, "\n".join(different)
    assert min(tried[status] for status in (DENIED, HIDDEN)) >= len(objects.there)


async def test_a_request_that_names_what_is_somebody_elses_is_answered_as_if_it_never_was(
    callers: dict[Who, Client], objects: Objects
) -> None:
    foreigner = callers["foreigner"]
    for address in ("/trainings", "/trainings/estimate"):
        told = []
        for name in ("secret", "absent"):
            answer = await foreigner.post(address, training(virtual_cluster=name))
            told.append(said(answer, {"cluster": name}))
        assert told[0] == told[1], f"{address}: whose it is and that it is, is told"
    for query in ("virtual_cluster", "words", "cursor"):
        told = []
        for each in (objects.there["task_id"], objects.never["task_id"]):
            answer = await foreigner.get("/tasks", params={query: each})
            told.append(said(answer, {"task": each}))
        assert told[0] == told[1], f"GET /tasks by {query}: whose it is and that it is, is told"


async def both(
    client: Client, operation: str, objects: Objects, questions: Questions
) -> list[tuple[list[str], list[str]]]:
    """What is asked on the way to the answer for what is there, and for what never was."""
    found = []
    for each in (objects.there, objects.never):
        path = f"/api/v1{path_of(operation, each)}"
        questions.forget(path)
        await ask(client, operation, each)
        found.append(questions.of(path))
    return found


async def other_questions(client: Client, who: Who, objects: Objects, questions: Questions) -> list[str]:
    """Where something else is asked for an object that this caller may not know of than for none."""
    await client.get("/session")  # whose a session is, is found once
    different = []
    counted = tried = 0
    for operation in WITH_OBJECTS:
        if may_know(who, operation):
            continue
        there, never = await both(client, operation, objects, questions)
        if there != never:  # what is written once a minute falls upon one of them, and the next time upon none
            there, never = await both(client, operation, objects, questions)
        tried, counted = tried + 1, counted + len(there[0])
        if there != never:
            told = next((a, b) for a, b in zip_longest(there[0] + there[1], never[0] + never[1]) if a != b)
            different.append(f"{operation}: other questions for what is there: {told[0]!r}, not {told[1]!r}")
    assert counted > tried or who == "nobody", f"nothing was counted of {who}"
    return different


async def test_what_is_somebody_elses_takes_the_same_questions_as_what_never_was(
    callers: dict[Who, Client], objects: Objects, questions: Questions
) -> None:
    """So that time does not tell them apart either; `./atoll bench` compares the times themselves."""
    different = []
    for who, client in callers.items():
        different += [f"{who}: {told}" for told in await other_questions(client, who, objects, questions)]
    assert not different, "\n".join(different)


@pytest.mark.long
async def test_a_programs_questions_are_the_same_for_what_is_somebody_elses_and_what_never_was(
    platform: RunningPlatform, callers: dict[Who, Client], objects: Objects, questions: Questions
) -> None:
    different = []
    for (who, read_only), client in (await programs(platform, callers)).items():
        named = f"a program of {who}{' that reads only' * read_only}"
        different += [f"{named}: {told}" for told in await other_questions(client, who, objects, questions)]
    assert not different, "\n".join(different)


def test_the_bench_times_every_operation_with_an_object_that_is_somebodys() -> None:
    made = {place: ("there", "never") for domain in DOMAINS for place in domain.examples}
    timed = people.hidden_requests({**people.HIDDEN, **made})
    of_somebody = {each for each in WITH_OBJECTS if {*re.findall(r"\{(\w+)\}", each)} - OF_NOBODY}
    assert {*timed} == of_somebody
    assert len(timed) > len(people.HIDDEN)


async def test_what_is_somebody_elses_takes_as_many_round_trips_as_what_never_was(
    callers: dict[Who, Client], objects: Objects, asked: Counter[str]
) -> None:
    """Of an attempt each in turn, as connections prepare their statements at first; the least counts."""
    for operation in WITH_OBJECTS:
        took: dict[str, list[int]] = {}
        for _ in range(6):
            for kind, each in (("there", objects.there), ("never", objects.never)):
                asked.clear()
                await ask(callers["foreigner"], operation, each)
                took.setdefault(kind, []).append(asked[f"/api/v1{path_of(operation, each)}"])
        assert min(took["there"]) == min(took["never"]), f"{operation}: round trips tell that it is there"
        assert min(took["there"]), "nothing was counted"
