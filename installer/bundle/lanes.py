"""Which steps are made at the same time: one that compiles Go, which takes every core it gets, and one other beside it.

Layers wait for disks, archives and single-threaded tools most of their time, compilers hardly ever: one after the other
leaves cores idle, two compilers at once only take each other's memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from installer.bundle.steps import Step

AT_ONCE = 2
GO = frozenset({"program", "manifest"})  # they share Go's caches, which are bounded between two of them


def startable(waiting: Sequence[Step], unfinished: Collection[str], running: Collection[Step]) -> Step | None:
    """Return the first step of `waiting` that may begin beside `running`; None when one of those has to end first.

    `unfinished` are the names of all steps still to be made, also the running ones.
    """
    if len(running) >= AT_ONCE:
        return None
    compiling = any(_lane(step) for step in running)
    for step in waiting:
        if not (_lane(step) and compiling) and not any(name in unfinished for name in step.needs):
            return step
    return None


def _lane(step: Step) -> bool:
    return step.name.split("/")[0] in GO


def make_all(steps: Sequence[Step], make: Callable[[Step], None]) -> None:
    """Call `make` for each step, in order where they depend on each other. The first error is
    raised, once those at work have ended. ValueError: they need each other in a circle."""
    waiting = list(steps)
    running: dict[Future[None], Step] = {}
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="build") as pool:  # its end waits for all at work
        while waiting or running:
            unfinished = {step.name for step in (*waiting, *running.values())}
            while (step := startable(waiting, unfinished, list(running.values()))) is not None:
                waiting.remove(step)
                running[pool.submit(make, step)] = step
            if not running:
                raise ValueError(f"steps that need each other: {', '.join(step.name for step in waiting)}")
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                del running[future]
                future.result()
