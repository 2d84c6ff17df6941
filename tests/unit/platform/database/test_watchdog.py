"""What a service's account takes of what all share, on PostgreSQL with the pod's own watchdog. Needs its wheel."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest
from atoll.database.rights import API, JOBS, ROLES

from installer.dev.postgres import DATABASE
from tests.unit.platform.conftest import eventually
from tests.unit.platform.database.pod import Pod, sessions

LOOKS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'watchdog'"
LOCKS_OF_ALL = "SELECT current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int"
# What a client hears whose session was ended, also in the middle of a step.
ENDED = (
    asyncpg.AdminShutdownError,
    asyncpg.ConnectionDoesNotExistError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
ROWS = 50_000
TABLE = f"""
CREATE TABLE of_services AS SELECT n AS id, 0 AS value FROM generate_series(1, {ROWS}) AS n;
ALTER TABLE of_services ADD PRIMARY KEY (id);
GRANT SELECT, INSERT, UPDATE, DELETE ON of_services TO {", ".join(ROLES)}
"""  # noqa: S608 (a number)


@dataclass
class Watchdog:
    """The watchdog of a pod, with shorter times and smaller numbers where `sooner` says so."""

    pod: Pod
    process: subprocess.Popen[bytes]
    log: Path

    def signalled(self, which: signal.Signals) -> None:
        os.killpg(self.process.pid, which)

    def said(self) -> list[str]:
        return self.log.read_text().splitlines()

    async def ended(self, why: str) -> None:
        async def said() -> bool:
            return any(why in line for line in self.said())

        await eventually(said)
        assert all(line.startswith("watchdog: a session of atoll_") for line in self.said()), "more than it found"


@contextlib.contextmanager
def watching(pod: Pod, sooner: dict[str, str]) -> Iterator[Watchdog]:
    look = pod.put("watchdog.sql")
    text = look.read_text()
    for usual, other in sooner.items():
        assert text.count(usual) == 1, f"the watchdog has no `{usual}` of its own"
        text = text.replace(usual, other)
    look.write_text(text)
    (pod.folder / "bin/sleep").unlink(missing_ok=True)
    with (pod.folder / "watchdog.log").open("wb") as log:
        process = subprocess.Popen(
            ["sh", str(pod.put("watchdog.sh"))], env=pod.environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        yield Watchdog(pod, process, pod.folder / "watchdog.log")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
async def watchdog(pod: Pod, request: pytest.FixtureRequest) -> AsyncIterator[Watchdog]:
    """At its work, beside tables that each service writes. Its parameter: what is put sooner."""
    pod.run("have_accounts.sh")
    pod.sql(f"GRANT CONNECT ON DATABASE {DATABASE} TO {', '.join(ROLES)}")
    pod.sql(TABLE, DATABASE)
    with watching(pod, getattr(request, "param", {})) as made:

        async def looks() -> bool:
            return pod.sql(LOOKS) == "1"

        await eventually(looks)
        yield made


async def hoard(session: asyncpg.Connection, locks: int, first: int = 1) -> None:
    """Have so many locks at least: one for each savepoint that has written."""
    await session.execute("BEGIN")
    for step in range(first, first + locks, 500):
        rows = range(step, min(step + 500, first + locks))
        await session.execute(
            ";".join(f"SAVEPOINT s; SELECT FROM of_services WHERE id = {row} FOR UPDATE" for row in rows)
        )


def sooner(**other: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("watchdog", [other], indirect=True)


async def test_an_account_that_has_filled_the_table_of_all_locks_is_ended_and_others_come_in(
    watchdog: Watchdog,
) -> None:
    """It has its connection already: with the table full nobody gets one."""
    pod = watchdog.pod
    async with sessions(pod, JOBS) as (thief,):
        watchdog.signalled(signal.SIGSTOP)
        await thief.execute("ALTER ROLE CURRENT_USER PASSWORD 'known'")  # and everybody looks up anew who is who
        with pytest.raises(asyncpg.OutOfMemoryError):
            await hoard(thief, ROWS)
        with pytest.raises(asyncpg.OutOfMemoryError):
            await pod.sign_in(API)
        with pytest.raises(subprocess.CalledProcessError):
            pod.sql("SELECT 1")
        watchdog.signalled(signal.SIGCONT)

        async def comes_in() -> bool:
            try:
                await (await pod.sign_in(API)).close()
            except asyncpg.OutOfMemoryError:
                return False
            return True

        await eventually(comes_in)
        await watchdog.ended("more than its share of all locks")
        with pytest.raises(ENDED):
            await thief.execute("SELECT 1")


async def test_sessions_of_an_account_share_its_locks_and_those_that_have_most_go(watchdog: Watchdog) -> None:
    pod = watchdog.pod
    share = int(pod.sql(LOCKS_OF_ALL)) // 4
    async with sessions(pod, JOBS, 3) as (small, large, larger), sessions(pod, API) as (honest,):
        await hoard(honest, share // 2)
        await hoard(small, 10, 10_000)
        await hoard(large, share // 2, 20_000)
        with contextlib.suppress(*ENDED):  # it may be ended while it takes them
            await hoard(larger, share * 2 // 3, 30_000)
        await watchdog.ended("more than its share of all locks")
        for session in (small, large, honest):
            await session.execute("COMMIT")
        assert len(watchdog.said()) == 1


@pytest.mark.parametrize(
    "mode", ["SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"]
)
async def test_who_locks_a_whole_table_or_waits_for_that_is_ended(watchdog: Watchdog, mode: str) -> None:
    """Whoever comes behind one that waits has to wait too."""
    async with sessions(watchdog.pod, JOBS) as (thief,), sessions(watchdog.pod, API, 2) as (reader, writer):
        await reader.execute(
            "BEGIN; SELECT FROM of_services WHERE id = 1 FOR UPDATE; DELETE FROM of_services WHERE id = 2"
        )
        with contextlib.suppress(*ENDED):
            await thief.execute(f"BEGIN; LOCK TABLE of_services IN {mode} MODE")
        written = None
        with contextlib.suppress(TimeoutError):
            written = await writer.execute("UPDATE of_services SET value = 1 WHERE id = 3", timeout=10)
        assert written, "a service keeps a table to itself"
        await reader.execute("COMMIT")
        await watchdog.ended(f"{JOBS} is ended")
        assert not any(API in line for line in watchdog.said())


@sooner(**{"mib > 384": "mib > 40"})
async def test_sessions_of_an_account_share_its_memory(watchdog: Watchdog) -> None:
    takes = "DO $$ DECLARE much text := repeat('x', 30000000); BEGIN PERFORM pg_sleep(60); END $$"
    async with sessions(watchdog.pod, JOBS, 2) as thiefs, sessions(watchdog.pod, API) as (honest,):
        await honest.execute("BEGIN; UPDATE of_services SET value = 1 WHERE id = 3")
        taking = [asyncio.create_task(thief.execute(takes)) for thief in thiefs]
        ended, _ = await asyncio.wait(taking, timeout=15, return_when=asyncio.FIRST_COMPLETED)
        assert ended, "an account has all the memory"
        await watchdog.ended("more than its share of the memory")
        await honest.execute("COMMIT")
        assert not any(API in line for line in watchdog.said())
    assert all(isinstance(each, ENDED) for each in await asyncio.gather(*taking, return_exceptions=True))


@sooner(**{"5 minutes": "2 seconds"})
async def test_a_transaction_that_is_open_for_too_long_is_ended(watchdog: Watchdog) -> None:
    async with sessions(watchdog.pod, JOBS) as (thief,), sessions(watchdog.pod, API) as (honest,):
        await thief.execute("SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT 1")
        await watchdog.ended("open for too long")
        await honest.execute("SELECT 1")
        assert len(watchdog.said()) == 1


@sooner(**{"10 seconds' AND": "2 seconds' AND", "0.05": "0.0001"})
async def test_who_keeps_notifications_from_being_forgotten_is_ended(watchdog: Watchdog) -> None:
    async with sessions(watchdog.pod, JOBS) as (thief,), sessions(watchdog.pod, API) as (honest,):
        await thief.execute("LISTEN all_of_them")
        await thief.execute("BEGIN; SELECT 1")
        await honest.execute("SELECT pg_notify('other', n || repeat('x', 7000)) FROM generate_series(1, 1000) AS n")
        await watchdog.ended("notifications may wait")
        assert len(watchdog.said()) == 1

        async def forgotten() -> bool:
            await honest.execute("NOTIFY other")
            return float(watchdog.pod.sql("SELECT pg_notification_queue_usage()")) < 0.0001

        await eventually(forgotten)


@sooner(**{"10 seconds'\n  UNION": "1 second'\n  UNION"})
async def test_who_keeps_another_account_waiting_is_ended_and_nobody_who_waits_himself(watchdog: Watchdog) -> None:
    row = "SELECT FROM of_services WHERE id = {} FOR UPDATE"
    async with sessions(watchdog.pod, JOBS, 2) as (thief, behind), sessions(watchdog.pod, API, 2) as (honest, own):
        await thief.execute("BEGIN;" + row.format(1))
        await honest.execute("BEGIN;" + row.format(2))
        waiting = asyncio.create_task(honest.execute(row.format(1)))
        # These wait for one who waits, and for their own account.
        following = [asyncio.create_task(each.execute("BEGIN;" + row.format(2))) for each in (behind, own)]
        await watchdog.ended("another account waits for it")
        assert len(watchdog.said()) == 1, f"who waits himself is ended: {watchdog.said()}"
        await waiting
        await honest.execute("COMMIT")
        done, rest = await asyncio.wait(following, timeout=10, return_when=asyncio.FIRST_COMPLETED)
        assert len(watchdog.said()) == 1, f"who waits himself is ended: {watchdog.said()}"
        for each in (*done, *rest):
            each.cancel()


@sooner(**{"10 seconds'\n  UNION": "1 second'\n  UNION"})
async def test_whoever_waits_for_himself_keeps_nobody_else_waiting_by_that(watchdog: Watchdog) -> None:
    row = "SELECT FROM of_services WHERE id = {} FOR UPDATE"
    async with sessions(watchdog.pod, JOBS, 2) as (thief, shield), sessions(watchdog.pod, API) as (honest,):
        await shield.execute("BEGIN;" + row.format(2))
        await thief.execute("BEGIN;" + row.format(1))
        waiting = asyncio.create_task(thief.execute(row.format(2)))
        served = None
        with contextlib.suppress(TimeoutError):
            served = await honest.execute(row.format(1), timeout=15)
        assert served or any("another account waits" in line for line in watchdog.said()), "it is let be"
        await watchdog.ended("another account waits for it")
        assert not any(API in line for line in watchdog.said())
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)


async def test_what_services_do_in_earnest_is_let_be(watchdog: Watchdog) -> None:
    """As many locks and rows as an account may have at a time, each in a transaction of some time; and as much memory.

    Two pods of the API at work, one of which takes over, have 62 sessions, each with some 5 MiB beyond what all have.
    """
    async with sessions(watchdog.pod, API, 20) as honest:
        for number, session in enumerate(honest):
            try:
                await session.execute("SELECT set_config('of.session', repeat('x', 7 << 20), false)")
                await hoard(session, 20, number * 100 + 1)
            except asyncpg.PostgresConnectionError as error:
                pytest.fail(f"session {number} was ended ({error}); the watchdog says {watchdog.said()}")
        looks = "SELECT query_start FROM pg_stat_activity WHERE application_name = 'watchdog'"
        seen = watchdog.pod.sql(looks)
        for _ in range(3):

            async def looked(before: str = seen) -> bool:
                return watchdog.pod.sql(looks) != before

            await eventually(looked)
            seen = watchdog.pod.sql(looks)
        for session in honest:
            await session.execute("COMMIT")
    assert watchdog.said() == []
