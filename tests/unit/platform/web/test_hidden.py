"""What somebody may not know of is answered as what never was: the same words, and the same questions on the way.

Every operation with an object in its path × who may not know of that object. On a real database.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import httpx
import pytest
from atoll.identity.dependencies import Guard
from atoll.identity.permissions import PermissionKind
from atoll.web.domain import ABSENT, DENIED, HIDDEN, MatrixRow
from atoll.web.requests import SAFE_METHODS

from tests.unit.platform.conftest import Client, RunningPlatform, training
from tests.unit.platform.round_trips import Questions, asked, questions
from tests.unit.platform.web.test_permission_matrix import (
    GUARDS,
    MATRIX,
    SIGNED_OUT,
    Who,
    held,
    places_of,
    programs,
    who_ask,
)

__all__ = ["asked", "questions"]

# Parts of the system and not somebody's: who may look at them sees all there are.
OF_NOBODY = {"name", "run_id", "way"}
BYSTANDERS: tuple[Who, ...] = ("unentitled", "colleague", "foreigner")
# A way to sign in is nobody's either; in front of it nobody is signed in yet.
WITH_OBJECTS = {operation: row for operation, row in MATRIX.items() if "{" in operation.replace("{way}", "")}


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


def path_of(operation: str, objects: Mapping[str, str]) -> str:
    """The address that is asked. Services and the like are named as the table of the matrix does."""
    row = WITH_OBJECTS[operation]
    named = row.path if isinstance(row, MatrixRow) else {}
    return operation.partition(" ")[2].format(**{**named, **objects})


async def ask(client: Client, operation: str, objects: Mapping[str, str], **headers: str) -> httpx.Response:
    row = WITH_OBJECTS[operation]
    body, params = (row.body, row.params) if isinstance(row, MatrixRow) else (None, None)
    method = operation.partition(" ")[0]
    return await client.http.request(method, path_of(operation, objects), json=body, params=params, headers=headers)


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


async def test_what_is_somebody_elses_takes_the_same_questions_as_what_never_was(
    callers: dict[Who, Client], objects: Objects, questions: Questions
) -> None:
    """So that time does not tell them apart either; `./atoll bench` compares the times themselves."""
    different = []
    counted = 0
    for who in BYSTANDERS:
        await callers[who].get("/session")  # whose a session is, is found once
        for operation in WITH_OBJECTS:
            found = []
            for each in (objects.there, objects.never):
                path = f"/api/v1{path_of(operation, each)}"
                questions.forget(path)
                await ask(callers[who], operation, each)
                found.append(questions.of(path))
            counted += len(found[0][0])
            if found[0] != found[1]:
                told = next((a, b) for a, b in zip_longest(*(each[0] + each[1] for each in found)) if a != b)
                different.append(f"{who}: {operation}: other questions for what is there: {told[0]!r}, not {told[1]!r}")
    assert not different, "\n".join(different)
    assert counted > len(BYSTANDERS) * len(WITH_OBJECTS), "nothing was counted"


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
