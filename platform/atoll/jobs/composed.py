"""What `jobs` has of the manifests of domains: parts for handlers, and what is done from time to time."""

import asyncio
from collections.abc import Iterable
from typing import Any, TypeVar

import structlog
from sqlalchemy import exc

from atoll.configuration import Configuration
from atoll.database.connection import Sessions
from atoll.web.domain import PeriodicWork, ProcessPart

_AWAY = (exc.DBAPIError, exc.TimeoutError, OSError)
Kind = TypeVar("Kind")
log = structlog.get_logger(__name__)


class Parts(dict[type[Any], Any]):
    """Parts by their types, each made when it is first asked for: not every handler's needs are configured for all."""

    def __init__(self, configuration: Configuration, offered: Iterable[ProcessPart[Any]]) -> None:
        super().__init__()
        self._configuration = configuration
        self._offered = {part.kind: part for part in offered}

    def __missing__(self, kind: type[Kind]) -> Kind:
        made: Kind | None = self._offered[kind].make(self._configuration)
        if made is None:
            raise KeyError(f"{kind.__name__} is not configured")
        self[kind] = made
        return made

    async def close(self) -> None:
        """Close those that were made."""
        for kind, made in self.items():
            if (close := self._offered[kind].close) is not None:
                await close(made)


async def do_from_time_to_time(sessions: Sessions, works: Iterable[PeriodicWork]) -> None:
    """Until cancelled. One that fails is tried again when it is due, and keeps none of the others from it."""
    async with asyncio.TaskGroup() as group:
        for work in works:
            group.create_task(_repeated(sessions, work))


async def _repeated(sessions: Sessions, work: PeriodicWork) -> None:
    while True:
        try:
            async with sessions() as session, session.begin():
                await work.do(session)
        except _AWAY as error:
            log.warning("periodic work failed, trying again later", work=work.name, error=type(error).__name__)
        await asyncio.sleep(work.every.total_seconds())
