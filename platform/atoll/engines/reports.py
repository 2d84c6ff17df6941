"""What the engine reports, passed on to all loops of a process that go by it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from atoll.engines.base import Engine
from atoll.web.domain import Replica, Run

Told = Callable[[Sequence[str]], Awaitable[None]]


class Signal:
    """That something changed, told to everybody who asked for an event of it."""

    def __init__(self) -> None:
        self._events: list[asyncio.Event] = []

    def event(self) -> asyncio.Event:
        """One that is set whenever the signal is given."""
        self._events.append(asyncio.Event())
        return self._events[-1]

    def give(self) -> None:
        """Set all."""
        for event in self._events:
            event.set()


class Reports:
    """One per process."""

    def __init__(self) -> None:
        self.listed = asyncio.Event()  # the engine has said all that it has
        self.machines = Signal()  # something about a machine is different, as often as that happens
        self.machines_kept = Signal()  # what is different stands in the database
        self._told: list[Told] = []

    def follow(self, told: Told) -> None:
        """Have attempts told of which something changed; the engine is not read on before that is done."""
        self._told.append(told)

    async def attempt(self, attempt_id: str) -> None:
        """Something of an attempt changed."""
        for told in self._told:
            await told([attempt_id])


def watch(replica: Replica) -> Run:
    """Pass on what the engine reports."""
    engine: Engine = replica.parts[Engine]
    reports: Reports = replica.parts[Reports]

    async def run() -> None:
        async for attempt_id in engine.run():
            if engine.synced:
                reports.listed.set()
            if attempt_id is None:
                reports.machines.give()
            else:
                await reports.attempt(attempt_id)

    return run
