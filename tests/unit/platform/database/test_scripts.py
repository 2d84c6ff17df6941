"""The scripts in the database's pod, on PostgreSQL: who is let in, and what is done round by round. Needs its wheel."""

import asyncio
import os
import re
import subprocess
from pathlib import Path

import asyncpg
import pytest
import yaml
from atoll.api.contents import ensure_contents, ensure_tables
from atoll.database import blockers
from atoll.database.connection import connect, sessions
from atoll.database.migrate import upgrade
from atoll.database.rights import API, JOBS, LEGACY, ROLES
from sqlalchemy import exc, text
from sqlalchemy.ext.asyncio import AsyncEngine

from installer.dev.postgres import DATABASE
from tests.unit.platform.conftest import as_service, configuration, eventually
from tests.unit.platform.database.pod import OWNER, ROLE, Pod
from tests.unit.platform.database.test_blockers import change_a_table

ATTRIBUTES = """
SELECT rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolconnlimit,
left(rolpassword, 14) FROM pg_authid WHERE rolname = :'role'
"""
OF_LEGACY = """
SELECT rolcanlogin, rolvaliduntil IS NOT NULL,
rolvaliduntil BETWEEN now() + interval '59 minutes' AND now() + interval '1 hour',
pg_has_role('atoll', 'atoll_owner', 'MEMBER') FROM pg_roles WHERE rolname = 'atoll'
"""
ADVISORY = """
SELECT format('SELECT %s(%s)', proname, array_to_string(array_fill('1'::text, ARRAY[pronargs::int]), ', '))
FROM pg_proc WHERE proname ~ '^pg_.*advisory' ORDER BY 1
"""
OWN_LOCKS = {API: ("lock_judging()", "lock_starts('ada')"), JOBS: ("lock_turns()",)}
FILLING = (
    "SELECT lo_create(0)",
    "SELECT lo_creat(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT pg_logical_emit_message(false, 'x', 'x')",
    "SELECT pg_logical_emit_message(false, 'x', CAST('x' AS bytea))",
    "CREATE TEMPORARY TABLE more (id int)",
    "CREATE TABLE more (id int)",
)


def test_the_accounts_are_there_and_what_they_set_for_themselves_is_put_right(pod: Pod) -> None:
    pod.sql("ALTER SYSTEM SET log_statement = 'all'")
    pod.sql("SELECT pg_reload_conf()")
    pod.run("have_accounts.sh")
    pod.sql(f"ALTER ROLE {API} SET log_statement = 'none'; ALTER ROLE {API} IN DATABASE atoll SET jit = off")
    pod.sql(f"ALTER ROLE {JOBS} CREATEROLE NOLOGIN CONNECTION LIMIT -1 PASSWORD NULL")
    pod.run("have_accounts.sh")
    share = int(pod.sql("SHOW max_connections")) * 9 // 20
    for role in (OWNER, *ROLES):
        assert pod.sql(ATTRIBUTES, role=role) == f"t|f|f|f|f|f|{share}|SCRAM-SHA-256$", role
    assert pod.sql("SELECT count(*) FROM pg_db_role_setting WHERE setrole <> 0") == "0"
    assert pod.sql("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'atoll'") == OWNER
    for database in ("atoll", "postgres", "template1"):
        assert pod.sql(f"SELECT has_database_privilege('stranger', '{database}', 'CONNECT, TEMP')") == "f", database
    logs = "".join(path.read_text(errors="replace") for path in Path(pod.socket).parent.rglob("*.log"))
    assert "pg_db_role_setting" in logs, "there is no log to look at"
    assert "secret-of-" not in logs, "a password stands in the log"


async def test_a_query_of_a_service_fills_no_disk_with_temporary_files(pod: Pod) -> None:
    """By the setting that the pod's PostgreSQL has, here with a smaller number; a service cannot set it for itself."""
    source = (ROLE / "templates/patroni.yaml.j2").read_text("utf-8")
    (limit,) = re.findall(r"^    (temp_file_limit): 1GB$", source, re.MULTILINE)
    pod.run("have_accounts.sh")
    owner = connect(as_service(configuration(pod.folder, pod.socket, DATABASE), OWNER), pool_size=1)
    await ensure_tables(owner, configuration(pod.folder, pod.socket, DATABASE))
    await owner.dispose()
    pod.sql(f"ALTER SYSTEM SET {limit} = '1MB'")
    pod.sql("SELECT pg_reload_conf()")
    connection = await pod.sign_in(API)
    try:
        sorts = (
            "SELECT count(*) FROM (SELECT n::text FROM generate_series(1, 500000) AS n ORDER BY 1 OFFSET 0) AS sorted"
        )
        await connection.execute("SET work_mem = '64kB'")
        with pytest.raises(asyncpg.ConfigurationLimitExceededError, match="temporary file size exceeds"):
            await connection.fetchval(sorts)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(f"SET {limit} = -1")
    finally:
        await connection.close()
        pod.sql(f"ALTER SYSTEM RESET {limit}")
        pod.sql("SELECT pg_reload_conf()")


async def answer(engine: AsyncEngine, statement: str) -> str:
    try:
        async with engine.begin() as connection:
            await connection.execute(text(statement))
    except exc.DBAPIError as error:
        return str(error.orig)
    return "done"


async def test_a_new_database_is_the_owners_and_services_fill_it_with_nothing_but_rows(
    pod: Pod, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No locks of their choice either; and a migration ends who holds what it waits for, with the owner's rights."""
    pod.run("have_accounts.sh")
    settings = configuration(pod.folder, pod.socket, DATABASE)
    monkeypatch.setattr(blockers, "PATIENCE_S", 0.3)
    monkeypatch.setattr(blockers, "EVERY_S", 0.1)
    owner = connect(as_service(settings, OWNER), pool_size=1)
    await ensure_tables(owner, settings)
    holding = await pod.sign_in(API)
    await holding.execute("BEGIN; LOCK TABLE virtual_clusters IN ACCESS SHARE MODE")
    try:
        async with asyncio.timeout(20):
            await upgrade(owner, change_a_table)
            await ensure_tables(owner, settings)
            await ensure_contents(sessions(owner), settings)
    finally:
        await owner.dispose()
        holding.terminate()
    pod.run("have_accounts.sh")
    advisory = pod.sql(ADVISORY, DATABASE).splitlines()
    assert len(advisory) > 15
    for role in ROLES:
        engine = connect(as_service(settings, role), pool_size=1)
        for statement in (*FILLING, *advisory):
            assert "permission denied" in await answer(engine, statement), f"{role} was let do `{statement}`"
        for function in OWN_LOCKS[role]:
            assert await answer(engine, f"SELECT {function}") == "done", f"{role} has no lock of its own: {function}"
        assert await answer(engine, "SELECT pg_notify('atoll_due', '')") == "done"
        await engine.dispose()


async def test_services_of_an_earlier_version_take_locks_until_the_migration(pod: Pod) -> None:
    """The database is brought to its new version before the platform is."""
    pod.run("have_accounts.sh")
    settings = configuration(pod.folder, pod.socket, DATABASE)
    owner = connect(as_service(settings, OWNER), pool_size=1)
    await ensure_tables(owner, settings)
    pod.sql("SELECT 'DROP FUNCTION ' || oid::regprocedure FROM pg_proc WHERE proname LIKE 'lock\\_%' \\gexec", DATABASE)
    for function in ("pg_advisory_xact_lock(bigint)", "pg_advisory_xact_lock(int, int)"):
        pod.sql(f"GRANT EXECUTE ON FUNCTION {function} TO PUBLIC", DATABASE)
    services = [connect(as_service(settings, role), pool_size=1) for role in ROLES]
    takes = ("SELECT pg_advisory_xact_lock(1)", "SELECT pg_advisory_xact_lock(1, 2)")
    for script in ("have_accounts.sh", "upkeep.sh"):
        pod.run(script)
        for service in services:
            assert [await answer(service, take) for take in takes] == ["done", "done"], script
    await ensure_tables(owner, settings)
    pod.run("upkeep.sh")
    for service in services:
        for take in takes:
            assert "permission denied" in await answer(service, take), f"a service was let do `{take}`"
        await service.dispose()
    await owner.dispose()


async def test_what_a_service_changed_of_its_own_account_is_put_right_in_the_next_round(pod: Pod) -> None:
    """Also when it keeps the change open, so that nobody else can write there."""
    pod.run("have_accounts.sh")
    pod.sql(f"GRANT CONNECT ON DATABASE atoll TO {', '.join(ROLES)}")  # as a migration does
    (pod.folder / "have_accounts.sh").rename(pod.folder / "complete")
    (pod.folder / "have_accounts.sh").write_text(  # the accounts at the start are there; what counts is the round
        f"#!/bin/sh\n[ ! -e {pod.folder}/started ] || exec {pod.folder}/complete\ntouch {pod.folder}/started\n"
    )
    (pod.folder / "have_accounts.sh").chmod(0o755)
    password = "SELECT rolpassword FROM pg_authid WHERE rolname = :'role'"
    services = {role: await pod.sign_in(role) for role in ROLES}
    for service in services.values():
        await service.execute("ALTER ROLE CURRENT_USER PASSWORD 'thief'")
    await services[API].execute("ALTER ROLE CURRENT_USER SET statement_timeout = '1ms'")
    await services[JOBS].execute("BEGIN; ALTER ROLE CURRENT_USER PASSWORD 'another'")
    thiefs = [pod.sql(password, role=role) for role in ROLES]
    said = pod.run("upkeep.sh")
    assert not {*thiefs} & {pod.sql(password, role=role) for role in ROLES}, f"a thief's password stays: {said}"
    assert pod.sql("SELECT count(*) FROM pg_db_role_setting WHERE setrole <> 0") == "0", "a thief's setting stays"
    assert "could not be put right" not in said
    for service in services.values():
        service.terminate()


def test_accounts_that_cannot_be_put_right_are_told_of_and_keep_nothing_else_from_being_done(pod: Pod) -> None:
    pod.sql(f"CREATE ROLE {LEGACY} LOGIN VALID UNTIL '2026-01-01'")
    pod.run("have_accounts.sh")
    (pod.folder / "have_accounts.sh").write_text(
        f"#!/bin/sh\n[ ! -e {pod.folder}/started ] || exit 3\ntouch {pod.folder}/started\n"
    )
    said = pod.run("upkeep.sh")
    assert "the accounts could not be put right" in said
    assert legacy(pod)[0] == "f"
    assert asked(pod) == ["--stanza=atoll stanza-create", "--stanza=atoll --type=full backup"]


def test_what_is_as_it_should_be_is_not_written_again(pod: Pod) -> None:
    """A migration grants rights on the same rows: of two at the same moment, PostgreSQL lets one fail."""
    rows = """
    SELECT (SELECT array_agg(xmin::text || ctid::text ORDER BY oid) FROM pg_database),
    (SELECT array_agg(xmin::text || ctid::text ORDER BY oid) FROM pg_proc WHERE proname ~ 'advisory|^lo_|emit_message'),
    (SELECT array_agg(xmin::text || ctid::text ORDER BY oid) FROM pg_parameter_acl),
    (SELECT array_agg(xmin::text || ctid::text ORDER BY oid) FROM pg_auth_members)
    """
    pod.run("have_accounts.sh")
    before = pod.sql(rows, DATABASE)
    assert pod.run("have_accounts.sh") == ""
    assert pod.sql(rows, DATABASE) == before


@pytest.mark.parametrize("told", [50, 2000])
def test_no_account_has_all_connections(pod: Pod, told: int) -> None:
    """Of the server as it runs, whatever it was told since."""
    pod.max_connections = told
    pod.run("have_accounts.sh")
    max_connections = int(pod.sql("SHOW max_connections"))
    for role in ROLES:
        limit = int(pod.sql(ATTRIBUTES, role=role).split("|")[-2])
        assert 0.4 * max_connections < limit < max_connections / 2


def test_a_backup_that_fails_keeps_nothing_else_from_being_done(pod: Pod) -> None:
    (pod.folder / "bin/pgbackrest").write_text("#!/bin/sh\nexit 1\n")
    pod.sql(f"CREATE ROLE {LEGACY} LOGIN VALID UNTIL '2026-01-01'")
    pod.run("have_accounts.sh")
    pod.run("upkeep.sh")
    assert legacy(pod)[0] == "f", "the account of before stays while there is no backup"


def asked(pod: Pod) -> list[str]:
    return (pod.folder / "asked").read_text().splitlines()


def test_a_round_makes_a_full_backup_a_day(pod: Pod) -> None:
    pod.run("have_accounts.sh")
    pod.run("upkeep.sh")
    assert (pod.folder / "accounts-are-there").exists()
    assert asked(pod) == ["--stanza=atoll stanza-create", "--stanza=atoll --type=full backup"]
    pod.run("upkeep.sh")
    assert asked(pod)[2:] == ["--stanza=atoll stanza-create"], "a restart begins no backup"
    yesterday = (pod.folder / "last-full").stat().st_mtime - 24 * 3600
    os.utime(pod.folder / "last-full", (yesterday, yesterday))
    pod.run("upkeep.sh")
    assert asked(pod)[3:] == ["--stanza=atoll stanza-create", "--stanza=atoll --type=full backup"]


async def test_what_a_slow_statement_was_given_is_in_no_log(pod: Pod) -> None:
    """By the setting that the pod's PostgreSQL has; here every statement counts as slow."""
    source = (ROLE / "templates/patroni.yaml.j2").read_text("utf-8")
    (length,) = re.findall(r"^    log_parameter_max_length: (\S+)$", source, re.MULTILINE) or ["-1"]
    pod.sql("ALTER SYSTEM SET log_min_duration_statement = 0")
    pod.sql(f"ALTER SYSTEM SET log_parameter_max_length = {length}")
    pod.sql("SELECT pg_reload_conf()")
    connection = await pod.sign_in("postgres", "postgres")
    try:
        await connection.fetchval("SELECT length($1::text) AS slow", "word-of-a-user")
    finally:
        await connection.close()
        pod.sql("ALTER SYSTEM RESET log_min_duration_statement")
        pod.sql("ALTER SYSTEM RESET log_parameter_max_length")
        pod.sql("SELECT pg_reload_conf()")
    logs = "".join(path.read_text(errors="replace") for path in Path(pod.socket).parent.rglob("*.log"))
    assert "AS slow" in logs, "there is no log to look at"
    assert "word-of-a-user" not in logs, "what a statement was given stands in the log"


PATRONI = """#!/bin/sh
echo "$@" >> {folder}/patroni-asked
{does}
"""
# PostgreSQL as it is after a restart by Patroni.
RESTARTED = """#!/bin/sh
case "$*" in
  *"FROM pg_settings"*)
    [ ! -e {folder}/restarted ] || exec printf 'max_connections=77\\nmax_locks_per_transaction=99\\n' ;;
esac
exec {programs}/psql "$@"
"""


def stand_in(pod: Pod, name: str, text: str, **values: str) -> None:
    (pod.folder / "bin" / name).write_text(text.format(folder=pod.folder, programs=pod.programs, **values))
    (pod.folder / "bin" / name).chmod(0o755)


def patroni_asked(pod: Pod) -> list[str]:
    there = pod.folder / "patroni-asked"
    return there.read_text().splitlines() if there.exists() else []


def test_settings_of_a_changed_file_that_need_a_restart_come_before_anybody_is_let_in(pod: Pod) -> None:
    """Patroni takes them from what its first start stored, and from no file."""
    pod.put("have_accounts.sh")
    restarted = f'[ "$2" != restart ] || [ -e {pod.folder}/accounts-are-there ] || touch {pod.folder}/restarted'
    stand_in(pod, "patronictl", PATRONI, does=restarted)
    stand_in(pod, "psql", RESTARTED)
    pod.stored = {"max_connections": 77, "max_locks_per_transaction": 99}
    said = pod.run("upkeep.sh")
    file = "--config-file=/etc/patroni"
    assert patroni_asked(pod) == [
        f"{file} edit-config --force --pg=max_connections=77 --pg=max_locks_per_transaction=99",
        f"{file} reload --force atoll",  # what was stored while PostgreSQL started is else known and never compared
        f"{file} restart --force --pending atoll",
    ], "what the first start stored stays"
    assert "upkeep:" not in said
    assert (pod.folder / "accounts-are-there").exists()


def test_settings_that_fit_ask_nothing_of_patroni(pod: Pod) -> None:
    pod.put("have_accounts.sh")
    stand_in(pod, "patronictl", PATRONI, does="")
    pod.run("upkeep.sh")
    assert patroni_asked(pod) == []


def test_settings_that_patroni_does_not_take_are_told_of_and_keep_nobody_out(pod: Pod) -> None:
    pod.put("have_accounts.sh")
    stand_in(pod, "patronictl", PATRONI, does="echo Error: no leader >&2; exit 1")
    pod.stored = {"max_connections": 77, "max_locks_per_transaction": 99}
    said = pod.run("upkeep.sh")
    assert "Error: no leader" in said
    assert "does not take max_connections=77 max_locks_per_transaction=99 from Patroni" in said
    assert "it serves with max_connections=60 " in said
    assert (pod.folder / "accounts-are-there").exists()


def legacy(pod: Pod) -> str:
    """Whether it may sign in, whether there is an end to that, in an hour, and whether it may do what the owner may."""
    return pod.sql(OF_LEGACY)


def verified(pod: Pod) -> bool:
    """What the phase's verification asks of it."""
    (task,) = yaml.safe_load((ROLE / "tasks/verify.yml").read_text("utf-8"))
    argv = task["atoll_verify"]["commands"]["that the account of earlier versions is gone in time"]
    command = argv[argv.index("--") + 1 :]
    return subprocess.run(command, env=pod.environment, capture_output=True, check=False).returncode == 0


async def test_the_account_of_earlier_versions_has_an_hour_once_the_services_have_come(pod: Pod) -> None:
    pod.sql(f"CREATE ROLE {LEGACY} LOGIN")
    pod.sql(f"CREATE DATABASE {DATABASE} OWNER {LEGACY}")
    pod.sql(f"SET ROLE {LEGACY}; CREATE TABLE old (id int)", DATABASE)
    old = await pod.sign_in(LEGACY)
    pod.run("have_accounts.sh")
    assert pod.sql("SELECT tableowner FROM pg_tables WHERE tablename = 'old'", DATABASE) == OWNER
    await old.execute("INSERT INTO old VALUES (1)")
    pod.run("upkeep.sh")
    assert legacy(pod) == "t|f||t", "it goes on until the services have come"
    pod.sql(f"GRANT CONNECT ON DATABASE atoll TO {', '.join(ROLES)}")  # as a migration does
    services = [await pod.sign_in(role) for role in ROLES]
    pod.run("upkeep.sh")
    assert legacy(pod) == "t|t|t|t", "it has no deadline"
    await old.execute("INSERT INTO old VALUES (2)")
    assert verified(pod)
    pod.sql(f"ALTER ROLE {LEGACY} VALID UNTIL '2026-01-01'")
    assert not verified(pod), "it is there after its time, and nobody says so"
    pod.run("upkeep.sh")
    assert legacy(pod) == "f|t|f|f", "whoever stays signed in keeps the account"
    assert verified(pod)

    async def ended() -> bool:
        return bool(old.is_closed())

    await eventually(ended)
    with pytest.raises(asyncpg.PostgresError):
        await pod.sign_in(LEGACY)
    for service in services:
        await service.execute("SELECT 1")
        await service.close()


async def test_the_account_of_earlier_versions_goes_at_once_when_nobody_uses_it(pod: Pod) -> None:
    pod.sql(f"CREATE ROLE {LEGACY} LOGIN")
    pod.run("have_accounts.sh")
    pod.sql(f"GRANT CONNECT ON DATABASE atoll TO {', '.join(ROLES)}")  # as a migration does
    services = [await pod.sign_in(role) for role in ROLES]
    pod.run("upkeep.sh")
    assert legacy(pod)[0] == "f"
    assert legacy(pod)[-1] == "f"
    for service in services:
        await service.close()
