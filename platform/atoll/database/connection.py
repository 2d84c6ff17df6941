"""Connections to PostgreSQL, and how it is told that one was lost."""

import ssl
import time
from typing import Any

import asyncpg
from sqlalchemy import URL, Engine, event, exc, text
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from atoll.configuration import Configuration, ConfigurationError, trusting

Sessions = async_sessionmaker[AsyncSession]
ASKED_AGAIN_S = 5.0  # a connection that was idle for longer is asked whether its server is there
COMMAND_TIMEOUT_S = 60.0  # a server that is gone without a word (its node lost power) answers never
IDLE_IN_TRANSACTION_S = 20  # less than a lease
LOCK_WAIT_S = 2
# What says that the database is away or busy, or that a connection to it was lost: the same may succeed later.
LOST = (
    exc.OperationalError,
    exc.InterfaceError,
    exc.TimeoutError,
    # As they are, while SQLAlchemy sets a new connection up.
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
)
AWAY = (*LOST, OSError)  # also while a connection is made
# SQLSTATEs of that: connection exception, transaction rollback (deadlock), insufficient resources, operator
# intervention, system error, a transaction that was idle or open for too long, a server that only reads (it leads no
# more), and a lock that others held for longer than somebody would wait (`wait_briefly`). The classes are those of
# which psycopg makes an OperationalError; asyncpg has no such type.
_PASSING_CLASSES = ("08", "40", "53", "57", "58")
_READS_ONLY = "25006"
_HELD = "55P03"
_PASSING = ("25P03", "25P04", _READS_ONLY, _HELD)


def url(configuration: Configuration) -> URL:
    """Where the database is; the password comes from its file. Raises ConfigurationError."""
    database = configuration.database
    password: str | None = None
    if database.password_file is not None:
        try:
            password = database.password_file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ConfigurationError(
                f"{database.password_file}: cannot read the database password ({error.strerror})"
            ) from error
    host, query = database.host, {}
    if database.on_socket:
        host, query = "", {"host": database.host}
    return URL.create(
        "postgresql+asyncpg",
        username=database.user,
        password=password,
        host=host or None,
        port=None if query else database.port,
        database=database.name,
        query=query,
    )


def tls(configuration: Configuration) -> ssl.SSLContext | None:
    """How to know the database: by its name, signed by its authority. None on a socket. Raises ConfigurationError."""
    authority = configuration.database.authority
    if configuration.database.on_socket or authority is None:
        return None
    return trusting(authority)


def connect(
    configuration: Configuration, *, pool_size: int = 10, command_timeout_s: float | None = COMMAND_TIMEOUT_S
) -> AsyncEngine:
    """A pool of connections; a connection that died while idle is replaced before it is used.

    A process that stops in the middle of a transaction (its node lost power, it is frozen) holds its locks no longer
    than `IDLE_IN_TRANSACTION_S`: then the server ends the transaction and others go on.
    """
    engine = create_async_engine(
        url(configuration),
        pool_size=pool_size,
        max_overflow=10,
        hide_parameters=True,
        connect_args={
            "async_creator_fn": connected,
            "ssl": tls(configuration) or False,
            "command_timeout": command_timeout_s,
            "server_settings": {"idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION_S}s"},
        },
    )
    _replace_the_dead(engine.sync_engine)
    event.listen(engine.sync_engine, "handle_error", _without_contents)
    event.listen(engine.sync_engine, "handle_error", _as_operational_error, retval=True)
    return engine


def _replace_the_dead(engine: Engine) -> None:
    """Let nobody have a connection that died while idle.

    One whose server closed it is known by itself. SQLAlchemy's `pool_pre_ping` asks each time, in three round trips:
    more than most requests need for what they are about.
    """

    def given_back(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info["idle_since"] = time.monotonic()

    def taken(connection: Any, record: ConnectionPoolEntry, _taker: Any) -> None:
        idle_since = record.info.get("idle_since")
        if idle_since is None:
            return  # a new one
        if connection.driver_connection.is_closed():
            raise exc.InvalidatePoolError
        if time.monotonic() - idle_since < ASKED_AGAIN_S:
            return
        try:
            engine.dialect.do_ping(connection)
        except (*LOST, OSError, engine.dialect.loaded_dbapi.Error) as error:
            raise exc.InvalidatePoolError from error

    event.listen(engine, "checkin", given_back)
    event.listen(engine, "checkout", taken)


async def connected(*arguments: Any, **options: Any) -> asyncpg.Connection:
    """A connection by asyncpg. That there is nobody, or no answer, is told like a connection that was lost.

    So is a server that is not the one that is meant: the right one may answer later.
    """
    try:
        return await asyncpg.connect(*arguments, **options)
    except ssl.SSLCertVerificationError as error:
        told = f"the database's certificate is not to be trusted: {error.verify_message}"
        raise asyncpg.ConnectionDoesNotExistError(told) from error
    except ConnectionError as error:
        if "rejected SSL upgrade" not in str(error):
            raise asyncpg.ConnectionDoesNotExistError(str(error) or "no answer in time") from error
        told = "the database has no TLS, and is asked by TLS alone: nothing was told it"
        raise asyncpg.ConnectionDoesNotExistError(told) from error
    except OSError as error:
        raise asyncpg.ConnectionDoesNotExistError(str(error) or "no answer in time") from error


def _as_operational_error(context: ExceptionContext) -> exc.OperationalError | None:
    """What passes is an `OperationalError`, whatever asyncpg and SQLAlchemy make of it, so that it is in `AWAY`."""
    original = context.original_exception
    # A process that had no time while the server ended its connection hears of it in the middle of a step, and asyncpg
    # is then in a state that it calls an error of its own ("cannot switch to state …").
    torn = isinstance(original.__cause__, asyncpg.InternalClientError)
    silent = isinstance(original, TimeoutError)
    state = str(getattr(original, "sqlstate", None) or "")
    if not (torn or silent or context.is_disconnect or state[:2] in _PASSING_CLASSES or state in _PASSING):
        return None
    if torn or silent or state == _READS_ONLY:
        context.is_disconnect = True  # another server may lead by now
    if not silent and not isinstance(context.sqlalchemy_exception, exc.DBAPIError):
        return None
    return exc.OperationalError(
        context.statement, None, original, hide_parameters=True, connection_invalidated=context.is_disconnect
    )


def _without_contents(context: ExceptionContext) -> None:
    """PostgreSQL's detail of a refused row is the row itself, secrets and all: errors are logged, so it is cut off."""
    told: BaseException | None = context.sqlalchemy_exception or context.original_exception
    while told is not None:
        told.args = tuple(part.split("\nDETAIL:")[0] if isinstance(part, str) else part for part in told.args)
        if isinstance(getattr(told, "detail", None), str):
            vars(told)["detail"] = None
        told = getattr(told, "orig", None) or told.__cause__


async def without_transaction(session: AsyncSession) -> None:
    """Let the one statement that `session` is made for stand alone: no round trips for its begin and its end."""
    await session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})


async def wait_briefly(session: AsyncSession) -> None:
    """From here on the transaction waits for each lock no longer than `LOCK_WAIT_S`; what is then raised is of LOST.

    For whoever has a lock already that many want: they would wait for all that its holder waits for.
    """
    await session.execute(text(f"SET LOCAL lock_timeout = '{LOCK_WAIT_S}s'"))


def sessions(engine: AsyncEngine) -> Sessions:
    """What makes sessions on `engine`; rows stay readable after a commit."""
    return async_sessionmaker(engine, expire_on_commit=False)
