"""The database's pod, as its scripts see it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from atoll.database.rights import API, JOBS, LEGACY

from installer.dev.postgres import DATABASE, PostgreSQL
from tests.unit.platform.conftest import own_postgres
from tests.unit.platform.database.pod import OWNER, Pod


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    """A server of its own: roles are those of all its databases."""
    with own_postgres(tmp_path_factory.mktemp("pod")) as made:
        yield made


@pytest.fixture
def pod(server: PostgreSQL, tmp_path: Path) -> Pod:
    """A pod at its first start: PostgreSQL as Patroni makes it, and nothing of ours in it."""
    made = Pod(tmp_path, server.connection["host"], server._bin)
    (tmp_path / "secrets").mkdir()
    for account in ("owner", "api", "jobs"):
        (tmp_path / "secrets" / account).write_text(f"secret-of-{account}")
    (tmp_path / "tls.crt").write_text("a certificate")
    (tmp_path / "bin").mkdir()
    for program, does in {
        "pgbackrest": f'echo "$@" >> {tmp_path / "asked"}',
        "sleep": '[ "$1" != 30 ] || kill $PPID',  # the end of a round
    }.items():
        (tmp_path / "bin" / program).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / program).chmod(0o755)
    made.sql(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
    made.sql("SELECT 'DROP OWNED BY ' || rolname FROM pg_roles WHERE rolname = :'role' \\gexec", role=OWNER)
    made.sql(f"DROP ROLE IF EXISTS {OWNER}, {API}, {JOBS}, {LEGACY}, replicator, stranger")
    made.sql("CREATE ROLE replicator; CREATE ROLE stranger LOGIN")
    return made
