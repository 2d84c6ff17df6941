"""What one statement may take of the memory, on PostgreSQL as the pod starts it. Needs its wheel."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from atoll.database.rights import API, JOBS

from installer.dev import postgres
from tests.unit.platform.conftest import own_postgres
from tests.unit.platform.database.pod import Pod, rendered, sessions

MEMORY_MIB = 256  # the smallest that it may have
TAKING = (
    "SELECT length(repeat('x', 200 * 1024 * 1024))",
    "SELECT FROM generate_series(1, 2000000) AS n ORDER BY repeat(n::text, 5)",
    "SELECT n, count(*) FROM generate_series(1, 2000000) AS n GROUP BY n",
)


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pod]:
    """PostgreSQL as Patroni starts it there."""
    theirs, programs = postgres._programs(), tmp_path / "bin"
    programs.mkdir()
    for program in theirs.iterdir():
        (programs / program.name).symlink_to(program)
    start, at = rendered("postgres.sh", memory_mib=MEMORY_MIB), "/usr/lib/postgresql/15/bin/postgres"
    assert at in start
    (programs / "postgres").unlink()
    (programs / "postgres").write_text(start.replace(at, str(theirs / "postgres")))
    (programs / "postgres").chmod(0o755)
    monkeypatch.setattr(postgres, "_programs", lambda: programs)
    with own_postgres(tmp_path) as made:
        yield Pod(tmp_path, made.connection["host"], programs)


async def test_a_statement_that_wants_all_the_memory_fails_and_nothing_else_does(pod: Pod) -> None:
    began = pod.sql("SELECT pg_postmaster_start_time()")
    async with sessions(pod, JOBS) as (thief,), sessions(pod, API) as (honest,):
        await honest.execute("BEGIN")
        await thief.execute("SET work_mem = '2000MB'; SET max_parallel_workers_per_gather = 0")
        for taking in TAKING:
            failed = (await asyncio.gather(thief.execute(taking), return_exceptions=True))[0]
            assert isinstance(failed, asyncpg.OutOfMemoryError), f"a statement has all the memory: {taking}"
            assert await thief.fetchval("SELECT 1") == 1, "its session goes on"
            assert await honest.fetchval("SELECT count(*) FROM generate_series(1, 200000)") == 200000
    assert pod.sql("SELECT pg_postmaster_start_time()") == began
