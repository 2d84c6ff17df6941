"""What `jobs` has of the manifests of domains: parts for handlers and loops, and what is done from time to time."""

import asyncio
from collections.abc import Iterable
from typing import Any, TypeVar

import structlog
from sqlalchemy import exc

from atoll.configuration import Configuration
from atoll.database.connection import AWAY, Sessions
from atoll.web.domain import PeriodicWork, ProcessPart

Kind = TypeVar("Kind")
log = structlog.get_logger(__name__)


class Parts(dict[type[Any], Any]):
    """Parts by their types, each made when it is first asked for: not all is configured everywhere."""

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
        """Close those that were made here."""
        for kind, made in self.items():
            offered = self._offered.get(kind)
            if offered is not None and offered.close is not None:
                await offered.close(made)


async def do_from_time_to_time(configuration: Configuration, sessions: Sessions, works: Iterable[PeriodicWork]) -> None:
    """Until cancelled. One that fails is tried again when it is due, and keeps none of the others from it."""
    async with asyncio.TaskGroup() as group:
        for work in works:
            group.create_task(_repeated(configuration, sessions, work))


async def _repeated(configuration: Configuration, sessions: Sessions, work: PeriodicWork) -> None:
    while True:
        try:
            more = True
            while more:
                async with sessions() as session, session.begin():
                    more = await work.do(session, configuration)
        except (exc.DBAPIError, *AWAY) as error:
            log.warning("periodic work failed, trying again later", work=work.name, error=type(error).__name__)
        await asyncio.sleep(work.every.total_seconds())
