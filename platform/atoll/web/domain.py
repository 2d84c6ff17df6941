"""What a domain says of itself: its manifest, `<domain>/domain.py`, is one `DOMAIN = Domain(…)`.

The list of all is `atoll.api.domains`; routers, migrations' metadata, the contract, notification channels, the table of
permissions, handlers of `jobs`, the portal's English words and the isolation matrix are made from it.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, Generic, TypeVar

from fastapi import APIRouter
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.database.base import Table
from atoll.database.connection import Sessions
from atoll.database.notifications import Listener
from atoll.database.rights import TableRights
from atoll.web.codes import Code

Part = TypeVar("Part")
Run = Callable[[], Coroutine[Any, Any, None]]
OK: Final = "ok"
HIDDEN: Final = 404
DENIED: Final = 403
ABSENT: Final = 503
Expected = int | str


@dataclass(frozen=True, slots=True)
class Permission:
    """One thing that a caller may do, and of which kinds it is; what it may be done *to* is `policy.py`'s."""

    name: str
    kinds: frozenset[str]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class TaskKind:
    """What a task is for: `name` is kept in its row. `permission`: what it takes to make one, asked when one is."""

    name: str
    permission: Permission


@dataclass(frozen=True, slots=True)
class OperationKind:
    """Long work of the platform and who does it; what a handler is given, `atoll.operations.handling` says.

    `clean` removes what an operation left half done when it fails or is cancelled; it may be called more than once. One
    that is not `resumable` fails when the process that works on it ends. `at_once`: how many run at a time in all.
    """

    name: str
    handler: Callable[..., Awaitable[Any]]
    clean: Callable[..., Awaitable[None]] | None = None
    resumable: bool = False
    max_hours: float = 24
    at_once: int = 4


@dataclass(frozen=True, slots=True)
class PeriodicWork:
    """What every process of `jobs` does from time to time, in a transaction: so it must bear being done twice.

    `do` says whether more is left: that is done at once, in a transaction of its own.
    """

    name: str
    every: timedelta
    do: Callable[[AsyncSession, Configuration], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Replica:
    """One process of `jobs`, as its loops know it; `parts` are those of the manifests, and the engine."""

    name: str  # under which it claims
    configuration: Configuration
    sessions: Sessions
    listener: Listener
    parts: Mapping[type[Any], Any]


@dataclass(frozen=True, slots=True)
class Loop:
    """What every process of `jobs` does until it is ended; one that fails ends the process, which is started anew.

    `make` prepares it, so that it hears all that others tell: the first one runs when all are prepared.
    """

    name: str
    make: Callable[[Replica], Run]


@dataclass(frozen=True, slots=True)
class ProcessPart(Generic[Part]):
    """What the API's process holds for a domain, one for all requests; `jobs` makes it when it is asked for.

    `make` gives None where it is not configured.
    """

    kind: type[Part]
    make: Callable[[Configuration], Part | None]
    close: Callable[[Part], Awaitable[None]] | None = None


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """What each caller gets from an operation: `OK` or a status.

    `owner` has made the object; `colleague` shares a virtual cluster with them, `foreigner` is a member of none, or of
    others alone; by a group or not is the same.
    `unentitled` has registered, and nobody gave them anything; `annotator` annotates and nothing else. Who is not
    signed in gets nothing. `path` fills places of the address, `body` and `params` are sent.
    """

    owner: Expected
    colleague: Expected
    foreigner: Expected
    admin: Expected
    unentitled: Expected = DENIED
    annotator: Expected | None = None
    body: Any = None
    params: Mapping[str, str] | None = None
    path: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def everybody(cls, **more: Any) -> "MatrixRow":
        """Everybody who may use the platform."""
        return cls(owner=OK, colleague=OK, foreigner=OK, admin=OK, **more)

    @classmethod
    def administrators(cls, admin: Expected = OK, **more: Any) -> "MatrixRow":
        """Administrators only; `admin` is what they get where the part behind it is not there."""
        return cls(owner=DENIED, colleague=DENIED, foreigner=DENIED, admin=admin, **more)

    @classmethod
    def owned(cls, admin: Expected, owner: Expected = OK, **more: Any) -> "MatrixRow":
        """The owner; for others of its kind it does not exist. What administrators get is said each time."""
        return cls(owner=owner, colleague=HIDDEN, foreigner=HIDDEN, admin=admin, **more)


@dataclass(frozen=True, slots=True)
class Example:
    """How `owner` makes an object of which the matrix tries the operations: a POST whose answer has its `field`."""

    address: str
    body: Any
    field: str = "id"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An operation that the matrix cannot try, and the test that does."""

    tested_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """All that the processes have to know of a domain."""

    name: str
    routers: tuple[APIRouter, ...] = ()
    tables: Mapping[type[Table], TableRights] = field(default_factory=dict)  # and what services may do with them
    permissions: tuple[Permission, ...] = ()
    task_kinds: tuple[TaskKind, ...] = ()
    codes: tuple[type[Code], ...] = ()
    actions: Mapping[str, str] = field(default_factory=dict)  # what it writes in the audit, and what people call it
    operations: tuple[OperationKind, ...] = ()
    periodic: tuple[PeriodicWork, ...] = ()
    loops: tuple[Loop, ...] = ()
    channels: tuple[str, ...] = ()  # of PostgreSQL's NOTIFY
    events: tuple[type[BaseModel], ...] = ()  # data of server-sent events, for the contract
    parts: tuple[ProcessPart[Any], ...] = ()
    matrix: Mapping[str, MatrixRow | Elsewhere] = field(default_factory=dict)  # by "GET /path"
    examples: Mapping[str, Example] = field(default_factory=dict)  # by the place in paths that they fill: "note_id"
    uses: tuple[str, ...] = ()  # neighbours whose `service` it imports
