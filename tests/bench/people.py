"""What ten thousand people notice, as JSON: `python -m tests.bench.people` with PYTHONPATH=platform.

The API is a process of its own on a PostgreSQL of its own; these two, and who asks, share two cores. Each figure is
the worst of what it is measured of: `{name: {"value", "unit", "on"}}`, seconds unless it is a ratio.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import statistics
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from atoll.api.domains import DOMAINS
from atoll.configuration import Configuration
from atoll.database.connection import connect
from atoll.identity import passwords

from installer.dev import processes, settings
from installer.dev.postgres import PostgreSQL
from installer.dev.processes import Family
from tests.bench.population import Population, populate
from tests.unit.platform.web.objects import WITH_OBJECTS, request_of

ROOT = Path(__file__).parents[2]
CORES = 2
PASSWORD = "correct-horse-battery"
LIST_ROUNDS, TYPING_ROUNDS, SIGN_IN_ROUNDS = 40, 20, 3
# All that is hidden is looked at; what differs most by that is measured so often that chance makes no difference.
HIDDEN_ROUNDS, EXACT_ROUNDS, EXACT = 30, 150, 8
AT_ONCE = 50
ADMIN, FOREIGNER = "u00501", "u00003"
DEEP = "person-in-the-middle"
Answer = tuple[float, httpx.Response]
LISTS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("/users", {}),
    ("/users", {"cursor": DEEP}),
    ("/users", {"role": "annotator"}),
    ("/users", {"group": "g007"}),
    ("/users", {"active": False}),
    ("/users", {"waiting": True}),
    ("/user-management", {}),
    ("/groups", {}),
    ("/groups/g007/users", {}),
    ("/roles", {}),
    ("/roles/user/users", {}),
    ("/virtual-clusters", {}),
    ("/virtual-clusters/c007/members", {}),
    ("/tasks", {"owner": "all"}),
    ("/task-counts", {"owner": "all"}),
    ("/operations", {"owner": "all"}),
    ("/overview", {}),
    ("/audit", {}),
    ("/audit/actors", {}),
)
# As somebody types them: each letter is a request, if the fingers are slow.
TYPED = ("hopper", "ada-kn", "fei-fei lam", "王伟", "9999", "nobody of this name", "138 77")
TYPE_AHEAD = ("/users", "/groups", "/roles", "/virtual-clusters/c007/members", "/audit/actors")
# What others have, and what never was, by the places in paths; of what the population has not, the administrator makes
# the example of its domain.
HIDDEN: Mapping[str, tuple[str, str]] = {
    "user_id": ("u00002", "u90002"),
    "session_id": ("s2000", "s9000"),
    "role_id": ("annotator", "annotates"),
    "group_id": ("g090", "g990"),
    "cluster_id": ("c090", "c990"),
    "task_id": ("0100000000000000000000000040", "0100000000000000000000090040"),
    "operation_id": ("0200000000000000000000000040", "0200000000000000000000090040"),
    "record_id": ("0000000000000000000000000040", "0000000000000000000000090040"),
}


def ready(port: int) -> bool:
    """Whether the API says that it is."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


class Company:
    """The API of ten thousand people."""

    def __init__(self, configuration: Configuration, url: str) -> None:
        self.configuration, self.url = configuration, url

    def client(self, address: str) -> httpx.AsyncClient:
        """Somebody's browser; the gateway says whose address it is."""
        headers = {"X-Atoll-Request": "1", "Origin": self.configuration.web.origin, "X-Forwarded-For": address}
        return httpx.AsyncClient(base_url=f"{self.url}/api/v1", headers=headers, timeout=60)

    async def names(self, where: str) -> list[str]:
        """Names of users who can sign in."""
        database = connect(self.configuration, pool_size=1)
        async with database.connect() as connection:
            query = f"SELECT name FROM users WHERE active AND deleted_at IS NULL AND {where} ORDER BY id"  # noqa: S608
            found = await connection.exec_driver_sql(query)
            names = [str(row[0]) for row in found]
        await database.dispose()
        return names

    async def signed_in(self, name: str) -> httpx.AsyncClient:
        """The browser of a user."""
        client = self.client("192.0.2.1")
        answer = await client.post("/session", json={"name": name, "password": PASSWORD})
        answer.raise_for_status()
        return client


@asynccontextmanager
async def company(state: Path) -> AsyncIterator[Company]:
    """Have one, in a folder of its own."""
    family = Family(state)
    server = PostgreSQL(state, family)
    try:
        with processes.listen() as door:
            port = processes.port_of(door)
            server.start()
            settings.make_secrets(state / "secrets")
            settings.storage(state).mkdir()
            told = settings.configuration(state, server.connection, {"api": port, "files": 1, "jobs": 1}, None)
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
            as_owner = environment | {"ATOLL_CONFIG": str(settings.write(state, told))}
            family.do("migration", [sys.executable, "-m", "atoll.api.migrate"], as_owner)
            configuration = Configuration.model_validate(told)
            types = tuple(device.type for device in configuration.devices)
            hashed = await passwords.hashed(PASSWORD)
            database = connect(configuration, pool_size=1, command_timeout_s=None)
            async with database.begin() as connection:
                await populate(connection, Population(device_types=types, password_hash=hashed))
            async with database.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
                await connection.exec_driver_sql("VACUUM ANALYZE")
            await database.dispose()
            config = settings.write(state, settings.of_service(told, "api"), "api.yaml")
            given = {**environment, "ATOLL_CONFIG": str(config), "ATOLL_SOCKET": str(door.fileno())}
            family.start("api", [sys.executable, "-m", "atoll.api"], given, keeps=(door.fileno(),))
        family.wait_until("api", partial(ready, port), 60)
        yield Company(configuration, f"http://127.0.0.1:{port}")
    finally:
        family.end()
        server.end()


async def timed(asking: Awaitable[httpx.Response]) -> Answer:
    """An answer, and what it took."""
    began = time.perf_counter()
    answer = await asking
    return time.perf_counter() - began, answer


def p95(samples: Sequence[float]) -> float:
    """What 95 of a hundred stay below."""
    return sorted(samples)[math.ceil(0.95 * len(samples)) - 1]


async def interleaved(
    asked: Mapping[str, Callable[[], Awaitable[httpx.Response]]], rounds: int, statuses: tuple[int, ...] = (200,)
) -> dict[str, list[float]]:
    """Samples of each, one after the other in an order that changes: what else the machine does hits all alike."""
    order, took = random.Random(rounds), dict[str, list[float]]()
    for at in range(-3, rounds):  # at first connections prepare their statements
        for name in order.sample(sorted(asked), len(asked)):
            seconds, answer = await timed(asked[name]())
            if answer.status_code not in statuses:
                raise RuntimeError(f"{name}: {answer.status_code} {answer.text}")
            if at >= 0:
                took.setdefault(name, []).append(seconds)
    return took


def worst(samples: Mapping[str, Sequence[float]], unit: str = "s") -> dict[str, object]:
    """The figure of what takes longest of all."""
    name = max(samples, key=lambda each: p95(samples[each]))
    return {"value": p95(samples[name]), "unit": unit, "on": f"{name}, {CORES} cores"}


async def lists(admin: httpx.AsyncClient) -> dict[str, object]:
    """Pages of lists, as the portal asks for them."""
    first = (await admin.get("/users")).json()["next_cursor"]
    asked = {}
    for path, params in LISTS:
        query: dict[str, Any] = {**params, "cursor": first} if params.get("cursor") == DEEP else {**params}
        asked[f"{path} {dict(params)}"] = partial(admin.get, path, params=query)
    return worst(await interleaved(asked, LIST_ROUNDS))


async def type_ahead(admin: httpx.AsyncClient) -> dict[str, object]:
    """What is found while somebody types, letter by letter: the slowest of all letters anywhere."""
    asked = {}
    for begun in dict.fromkeys(words[:at] for words in TYPED for at in range(1, len(words) + 1)):
        for path in TYPE_AHEAD:
            asked[f"{path} {begun!r}"] = partial(admin.get, path, params={"words": begun, "limit": 20})
    return worst(await interleaved(asked, TYPING_ROUNDS))


async def sign_in(company: Company) -> dict[str, object]:
    """So many who sign in at once, whom nothing knows yet: each at an address of their own, and all behind one."""
    names = iter(await company.names("id > 'u05000'"))
    longest: dict[str, list[float]] = {}
    for _ in range(SIGN_IN_ROUNDS):
        for where, address in (("an address each", "198.51.100.{}"), ("one address", "203.0.113.7")):
            async with AsyncExitStack() as held:
                people = [
                    (next(names), await held.enter_async_context(company.client(address.format(at))))
                    for at in range(AT_ONCE)
                ]
                took = await asyncio.gather(
                    *(
                        timed(client.post("/session", json={"name": name, "password": PASSWORD}))
                        for name, client in people
                    )
                )
            if refused := [answer for _, answer in took if answer.status_code != 201]:
                raise RuntimeError(f"{len(refused)} of {AT_ONCE} were refused: {refused[0].text}")
            longest.setdefault(where, []).append(max(seconds for seconds, _ in took))
    where = max(longest, key=lambda each: max(longest[each]))
    told = f"the last of {AT_ONCE} at once, the worst of {SIGN_IN_ROUNDS} times, {where}, {CORES} cores"
    return {"value": max(longest[where]), "unit": "s", "on": told}


async def hidden_objects(admin: httpx.AsyncClient) -> dict[str, tuple[str, str]]:
    """All that the population has, and an example of all else, which only the administrator may know of."""
    found = {**HIDDEN}
    for domain in DOMAINS:
        for place, example in domain.examples.items():
            answer = await admin.post(example.address, json=example.body)
            answer.raise_for_status()
            there = str(answer.json()[example.field])
            found[place] = (there, there[:-1] + ("0" if there[-1] != "0" else "1"))
    return found


def hidden_requests(objects: Mapping[str, tuple[str, str]]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """By operation the request for what is there and for what never was; not where only parts of the system are."""
    there, never = ({place: pair[which] for place, pair in objects.items()} for which in (0, 1))
    pairs = {operation: (request_of(operation, there), request_of(operation, never)) for operation in WITH_OBJECTS}
    return {operation: pair for operation, pair in pairs.items() if pair[0] != pair[1]}


async def ratios(
    client: httpx.AsyncClient, pairs: Mapping[str, tuple[dict[str, Any], dict[str, Any]]], rounds: int
) -> dict[str, float]:
    """How much longer the one takes than the other, whichever it is: medians."""
    asked = {}
    for operation, (there, never) in pairs.items():
        asked[f"{operation} there"] = partial(client.request, **there)
        asked[f"{operation} never"] = partial(client.request, **never)
    took = await interleaved(asked, rounds, (403, 404))
    found = {}
    for operation in pairs:
        one, other = (statistics.median(took[f"{operation} {kind}"]) for kind in ("there", "never"))
        found[operation] = max(one, other) / min(one, other)
    return found


async def hidden(admin: httpx.AsyncClient, foreigner: httpx.AsyncClient) -> dict[str, object]:
    """How much longer what is somebody else's takes than what never was, or the other way round."""
    pairs = hidden_requests(await hidden_objects(admin))
    looked = await ratios(foreigner, pairs, HIDDEN_ROUNDS)
    most = sorted(looked, key=lambda each: looked[each])[-EXACT:]
    exact = await ratios(foreigner, {operation: pairs[operation] for operation in most}, EXACT_ROUNDS)
    name = max(exact, key=lambda each: exact[each])
    return {"value": exact[name], "unit": "ratio", "on": f"{name}, of {len(pairs)}, {CORES} cores"}


async def measured() -> dict[str, dict[str, object]]:
    """All figures."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        async with company(Path(folder)) as there:
            (name,), (stranger,) = [await there.names(f"id = '{one}'") for one in (ADMIN, FOREIGNER)]
            admin, foreigner = await there.signed_in(name), await there.signed_in(stranger)
            try:
                return {
                    "people_lists": await lists(admin),
                    "people_type_ahead": await type_ahead(admin),
                    "people_hidden": await hidden(admin, foreigner),
                    "people_sign_in": await sign_in(there),
                }
            finally:
                await admin.aclose()
                await foreigner.aclose()


if __name__ == "__main__":
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:CORES]))
    json.dump(asyncio.run(measured()), sys.stdout)
