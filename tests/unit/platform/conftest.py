"""A real platform for tests: PostgreSQL from the wheel, API, jobs and files on loopback, the local engine."""

import asyncio
import contextlib
import functools
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from atoll.api.application import application as api_application
from atoll.api.contents import ensure_contents, ensure_tables
from atoll.configuration import Configuration
from atoll.database.connection import Sessions, connect, sessions
from atoll.database.rights import API, JOBS
from atoll.files.application import application as files_application
from atoll.identity import passwords
from atoll.jobs.application import application as jobs_application
from fastapi import FastAPI
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from installer.cluster import DEVICE_TYPES
from installer.dev.postgres import PostgreSQL
from installer.dev.processes import Family
from tests.unit.platform import made_once
from tests.unit.platform.templates import make_template

made_once.keep()
ADMIN_PASSWORD = "generated-at-first"
PASSWORD = "a-better-password"
LIMITS = {
    "floor": {"cpu": "100m", "memory": "32Mi"},
    "default": {"cpu": "1", "memory": "512Mi"},
    "ceiling": {"cpu": "4", "memory": "2Gi"},
}


@contextlib.contextmanager
def own_postgres(state: Path) -> Iterator[PostgreSQL]:
    """A PostgreSQL that keeps its data in `state`."""
    family = Family(state)
    server = PostgreSQL(state, family)
    try:
        server.start()
        yield server
    finally:
        family.end()
        server.end()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The socket directory of a PostgreSQL that lives as long as the test session."""
    with own_postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server.connection["host"]


@pytest.fixture(scope="session")
def migrated(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with all tables, which tests copy."""

    async def make() -> None:
        admin = create_async_engine(f"postgresql+asyncpg://postgres@/postgres?host={postgres}").execution_options(
            isolation_level="AUTOCOMMIT"
        )
        async with admin.connect() as connection:
            for setting in ("fsync = off", "full_page_writes = off", "autovacuum = off"):  # nothing here outlives it
                await connection.execute(text(f"ALTER SYSTEM SET {setting}"))
            await connection.execute(text("SELECT pg_reload_conf()"))
            await connection.execute(text("CREATE DATABASE template_atoll"))
        await admin.dispose()
        database = create_async_engine(f"postgresql+asyncpg://postgres@/template_atoll?host={postgres}")
        await make_template(database, configuration(tmp_path_factory.mktemp("migrated"), postgres, "template_atoll"))

    asyncio.run(make())
    return "template_atoll"


PRODUCT = passwords._HASHER
QUICK = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=8, parallelism=1),))


@pytest.fixture(autouse=True)
def password_hasher(monkeypatch: pytest.MonkeyPatch) -> Iterator[PasswordHash]:
    """Argon2id that takes no time, where no test is about what it costs: each user takes eight of them."""
    monkeypatch.setattr(passwords, "_HASHER", QUICK)
    nobody = passwords._nobody  # whose hash is as costly as those of users; a test may put something in its place
    nobody.cache_clear()
    yield QUICK
    nobody.cache_clear()


@pytest.fixture
def costly_passwords(password_hasher: PasswordHash, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that take the time and memory that they take in earnest."""
    monkeypatch.setattr(passwords, "_HASHER", PRODUCT)


_COUNTER = iter(range(1, 10_000))


@pytest.fixture
async def database_name(postgres: str, migrated: str) -> str:
    """A fresh copy of the migrated database."""
    name = f"test_{next(_COUNTER)}"
    admin = create_async_engine(f"postgresql+asyncpg://postgres@/postgres?host={postgres}").execution_options(
        isolation_level="AUTOCOMMIT"
    )
    async with admin.connect() as connection:
        await connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {migrated}"))
    await admin.dispose()
    return name


@functools.cache
def trust() -> ssl.SSLContext:
    """Whom TLS trusts: a client without it reads all authorities of the machine again, 30 ms of a core."""
    return httpx.create_ssl_context()


async def eventually(look: Callable[[], Awaitable[Any]], timeout_s: float = 15) -> Any:
    """What `look` gives once it is true; its name is told when it never is."""
    found = None
    try:
        async with asyncio.timeout(timeout_s):
            while True:
                found = await look()
                if found:
                    return found
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise AssertionError(f"not within {timeout_s} s: {look.__qualname__}; last seen: {found!r}") from None


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def serving(app: FastAPI, port: int = 0) -> AsyncIterator[int]:
    """Serve `app` on loopback; gives the port."""
    server = _Server(
        uvicorn.Config(
            app,
            host="127.0.0.1",
            port=port,
            log_level="warning",
            ws="none",
            timeout_graceful_shutdown=1,
            timeout_keep_alive=600,  # none is closed in the moment in which its client asks again
            lifespan="on",
        )
    )
    running = asyncio.create_task(server.serve())

    async def started() -> bool:
        if running.done():
            running.result()
            raise RuntimeError("the server did not start")
        return server.started

    await eventually(started)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await running


@dataclass
class Client:
    """A signed-in user."""

    http: httpx.AsyncClient
    name: str

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.http.get(path, **more)

    async def post(self, path: str, body: Any = None, **more: Any) -> httpx.Response:
        return await self.http.post(path, json=body, **more)

    async def delete(self, path: str, **more: Any) -> httpx.Response:
        return await self.http.delete(path, **more)

    async def task(self, task_id: str) -> dict[str, Any]:
        answer = await self.get(f"/tasks/{task_id}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def until(self, task_id: str, *states: str, timeout_s: float = 20) -> dict[str, Any]:
        """Wait for one of `states`."""
        return await self.once(task_id, lambda task: task["state"] in states, timeout_s)

    async def once(
        self, task_id: str, holds: Callable[[dict[str, Any]], bool], timeout_s: float = 20
    ) -> dict[str, Any]:
        """The task, once `holds` is true of it."""

        async def look() -> dict[str, Any] | None:
            task = await self.task(task_id)
            return task if holds(task) else None

        found: dict[str, Any] = await eventually(look, timeout_s)
        return found


@dataclass
class RunningPlatform:
    """The platform under test."""

    configuration: Configuration
    url: str
    clients: list[httpx.AsyncClient] = field(default_factory=list)

    def anonymous(self, **headers: str) -> httpx.AsyncClient:
        client = httpx.AsyncClient(
            base_url=f"{self.url}/api/v1",
            headers={"X-Atoll-Request": "1", "Origin": self.configuration.web.origin, **headers},
            verify=trust(),
            timeout=20,
        )
        self.clients.append(client)
        return client

    async def sign_in(self, name: str, password: str) -> Client:
        http = self.anonymous()
        answer = await http.post("/session", json={"name": name, "password": password})
        assert answer.status_code == 201, answer.text
        return Client(http, name)

    async def admin(self) -> Client:
        """The administrator, whose password is changed at first."""
        http = self.anonymous()
        first = await http.post("/session", json={"name": "admin", "password": ADMIN_PASSWORD})
        if first.status_code != 201:
            return await self.sign_in("admin", PASSWORD)
        changed = await http.post(
            "/session/password", json={"current_password": ADMIN_PASSWORD, "new_password": PASSWORD}
        )
        assert changed.status_code == 200, changed.text
        return Client(http, "admin")

    async def user(self, admin: Client, name: str, *, member: bool = True, roles: Sequence[str] = ("user",)) -> Client:
        """A new user, signed in with a password of their own."""
        account = {"name": name, "nickname": name, "password": "first-for-" + "x" * 8, "roles": [*roles]}
        made = await admin.post("/users", {**account, "virtual_clusters": ["default"] if member else []})
        assert made.status_code == 201, made.text
        client = await self.sign_in(name, "first-for-" + "x" * 8)
        changed = await client.post(
            "/session/password", {"current_password": "first-for-" + "x" * 8, "new_password": PASSWORD}
        )
        assert changed.status_code == 200, changed.text
        return client

    def home(self, user: str) -> Path:
        return self.configuration.storage.root / "home" / user


def configuration(tmp_path: Path, socket: str, database: str, **ports: int) -> Configuration:
    """A configuration with two pretended nodes: 4 GPUs and 8 NPUs."""
    secrets = tmp_path / "secrets"
    secrets.mkdir(exist_ok=True)
    (secrets / "internal_token").write_text("internal")
    (secrets / "admin_password").write_text(ADMIN_PASSWORD)
    storage = tmp_path / "storage"
    storage.mkdir(exist_ok=True)
    devices = {"nvidia_gpu_amd64": 4, "huawei_npu_amd64": 8}
    return Configuration.model_validate(
        {
            "service": "test",
            "cluster": {"name": "test", "version": "0"},
            "database": {"host": socket, "name": database, "user": "postgres"},
            "web": {"origin": "http://portal.test", "secure_cookies": False},
            "services": {
                "files": f"http://127.0.0.1:{ports.get('files', 1)}",
                "jobs": f"http://127.0.0.1:{ports.get('jobs', 1)}",
            },
            "storage": {"root": storage},
            "engine": {
                "kind": "local",
                "nodes": [
                    {"name": "one", "devices": {"nvidia_gpu_amd64": 4}},
                    {"name": "two", "devices": {"huawei_npu_amd64": 8}},
                ],
            },
            "frameworks": [
                {"name": name, "title": title, "image": f"local/{name}", "library": library, "python": sys.executable}
                for name, title, library in (("plain", "Python", "python"), ("numpy", "NumPy", "scikit-learn"))
            ],
            "devices": [
                DEVICE_TYPES["nvidia_gpu_amd64"].row() | {"counts": [0, 1, 2, 3, 4]},
                DEVICE_TYPES["huawei_npu_amd64"].row(),
            ],
            "resource_limit": {"nvidia_gpu_amd64": LIMITS, "huawei_npu_amd64": LIMITS, "request_ratio": 0.5},
            "virtual_clusters": [
                {"name": "default", "devices": devices, "max_devices_per_user": {"nvidia_gpu_amd64": 3}}
            ],
            "secrets": secrets,
        }
    )


def as_service(settings: Configuration, role: str) -> Configuration:
    """The same, signing in to the database with a service's own rights; tests prepare and look as its owner."""
    return settings.model_copy(update={"database": settings.database.model_copy(update={"user": role})})


@pytest.fixture
def different() -> dict[str, Any]:
    """What a module's platform has in place of parts of `configuration`."""
    return {}


@pytest.fixture
async def stored(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Sessions]:
    """A database as a platform begins with it, and nothing that runs: what is put there stays."""
    settings = configuration(tmp_path, postgres, database_name)
    database = connect(settings, pool_size=1)
    try:
        await ensure_contents(sessions(database), settings)
        yield sessions(database)
    finally:
        await database.dispose()


@pytest.fixture(autouse=True)
def jobs_end_nothing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`jobs` ends its process when a loop of it fails. Here that would be all tests: it fails this one instead."""
    ended: list[str] = []
    monkeypatch.setattr("atoll.jobs.application.end_process", lambda: ended.append("ended"))
    yield
    assert not ended, "a loop of `jobs` failed: its log is above"


@pytest.fixture
async def platform(
    tmp_path: Path, postgres: str, database_name: str, different: dict[str, Any]
) -> AsyncIterator[RunningPlatform]:
    """Everything, running."""

    def of(**ports: int) -> Configuration:
        usual = configuration(tmp_path, postgres, database_name, **ports)
        return Configuration.model_validate(usual.model_dump(exclude={*different}) | different) if different else usual

    settings = of()
    database = connect(settings, pool_size=1)
    if different:  # what the audit's functions hold
        await ensure_tables(database, settings)
    await ensure_contents(sessions(database), settings)
    await database.dispose()
    async with contextlib.AsyncExitStack() as stack:
        files = await stack.enter_async_context(serving(files_application(settings)))
        settings = of(files=files)
        jobs = await stack.enter_async_context(serving(jobs_application(as_service(settings, JOBS))))
        settings = of(files=files, jobs=jobs)
        api = await stack.enter_async_context(serving(api_application(as_service(settings, API))))
        running = RunningPlatform(settings, f"http://127.0.0.1:{api}")
        try:
            yield running
        finally:
            for client in running.clients:
                await client.aclose()


def training(**changes: Any) -> dict[str, Any]:
    """A request for a task."""
    return {
        "name": "a_task",
        "virtual_cluster": "default",
        "framework": "plain",
        "code_directory": "code",
        "start_file": "main.py",
        "device_type": "nvidia_gpu_amd64",
        "devices": 0,
        **changes,
    }


@pytest.fixture
def program(platform: RunningPlatform) -> Any:
    """Writes a program into a user's home."""

    def write(user: str, source: str, name: str = "code/main.py") -> None:
        path = platform.home(user) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)

    return write
