"""Building: what is missing is made in order, then the bundle's directory is brought in line.

A second call makes nothing; a killed one goes on where it was. Two builds on one cache wait for each other.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from installer import packages
from installer.bundle import debian_lock, disk, index, lanes
from installer.bundle.debian import Gone
from installer.bundle.errors import BundleError
from installer.bundle.outputs import Output, Outputs
from installer.bundle.steps import Step, Workshop
from installer.cluster import in_use
from installer.cluster.places import TREE, cache_directory

TOOLS = ("program", "manifest", "portal", "layer")


class Reporter(Protocol):
    """Whoever watches a build (installer.progress.stages)."""

    def begin(self, stage: str, total: int | None = None) -> None:
        """A stage begins."""

    def advance(self, text: str, count: int = 1) -> None:
        """What it does now; `count` pieces were done."""

    def end(self, stage: str, ok: bool = True) -> None:
        """It ended."""

    def say(self, text: str) -> None:
        """Tell a person something that stays."""


@dataclass(frozen=True)
class Result:
    """What a build did."""

    bundle: Path
    built: dict[str, float]
    index: dict[str, Any]


def ensure(
    bundle: Path,
    wanted: Collection[str] | None,
    progress: Reporter,
    *,
    tree: Path = TREE,
    cache: Path | None = None,
    locked: bool = False,
    again: bool = False,
) -> Result:
    """Build what is missing of `wanted` (names as `./atoll bundle list` shows them; None is everything) and place it.

    The directory then has these parts and all others whose outputs are up to date. `again` builds the wanted parts also
    when they are up to date; `locked` refuses Debian packages that the tree's lock does not name. Raises BundleError.
    """
    cache = cache or cache_directory()
    index.own(bundle)
    with _alone(cache, progress):
        workshop = Workshop(tree, cache, locked)
        for name in _steps(workshop, wanted) if again else []:
            Outputs(cache).forget(name)
        try:
            return _Build(workshop, progress).run(bundle, wanted)
        except Gone as error:
            if locked:
                raise
            anew = (
                "They are locked anew from the archive's signed indexes; the list of materials names the versions used."
            )
            progress.say(f"{error.message}.\n{anew}")
            renew_lock(workshop, debian_lock.renewed_lock_path(tree, cache), progress.say)
            return _Build(Workshop(tree, cache, locked), progress).run(bundle, wanted)


def part(name: str, progress: Reporter, *, tree: Path = TREE, cache: Path | None = None) -> Output:
    """Return a part that is made of no other (the portal), made when it is missing. Raises BundleError.

    No bundle is touched and no other build waited for, unless it makes the same part.
    """
    build = _Build(Workshop(tree, cache or cache_directory()), progress)
    found = build.output(name)
    if found is None:
        build.make_alone(name)
        found = build.output(name)
    if found is None:
        raise BundleError(f"{name} changed while it was built", "Try again.")
    return found


def before_the_portal(bundle: Path, *, tree: Path = TREE, cache: Path | None = None) -> list[str] | None:
    """Return the parts to make before those that the portal does not wait for.

    None when everything is to be made in one go: nothing of the latter is missing, or the bundle has an earlier version
    of it, which a cluster would lack meanwhile.
    """
    workshop = Workshop(tree, cache or cache_directory())
    later = {
        f"image/{architecture}/{name}"
        for architecture in workshop.lock.architectures
        for name, image in workshop.images.images.items()
        if image.later
    }
    if later & index.artifacts(bundle):
        return None
    wanted = [name for name in workshop.steps if name not in later and not name.startswith("layer/")]
    soon = set(with_needs(workshop, wanted))
    there = up_to_date(workshop)
    return wanted if any(name not in there and name not in soon for name in workshop.steps) else None


def renew_lock(workshop: Workshop, path: Path, report: Callable[[str], None]) -> None:
    """Write a lock of the Debian packages that the archive has now."""
    renewed = debian_lock.resolve(workshop.lock, workshop.images, workshop.cache, report)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(renewed.text())
    temporary.rename(path)


@contextmanager
def _alone(cache: Path, progress: Reporter) -> Iterator[None]:
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "build.lock").open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.say(f"Another build uses {cache}; this one waits for it.")
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _steps(workshop: Workshop, wanted: Collection[str] | None) -> list[str]:
    return list(workshop.steps) if wanted is None else [step for name in wanted for step in workshop.find(name)]


def with_needs(workshop: Workshop, names: Collection[str]) -> list[str]:
    """Return these steps and all that they are made from, each after those that it needs."""
    needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += workshop.steps[name].needs
    return [name for name in workshop.steps if name in needed]


class _Build:
    def __init__(self, workshop: Workshop, progress: Reporter) -> None:
        self.workshop = workshop
        self.progress = progress
        self.store = Outputs(workshop.cache)
        self.keys: dict[str, str] = {}

    def run(self, bundle: Path, wanted: Collection[str] | None) -> Result:
        steps = self.workshop.steps
        ordered = with_needs(self.workshop, _steps(self.workshop, wanted))
        missing = [name for name in ordered if not self.output(name)]
        built: dict[str, float] = {}
        if missing:
            disk.check(self.workshop.cache, len(missing), len(steps))
            packages.install("bundle", self.progress.say)
            if any(name.split("/")[0] in TOOLS for name in missing):
                self._stage("toolchain", self.workshop.toolchain.ensure)

            def make(step: Step) -> None:
                built[step.name] = self._make(step)
                if step.name.startswith("program/"):
                    disk.bound(self.workshop.cache)

            lanes.make_all([steps[name] for name in missing], make)
        outputs = {name: output for name in steps if (output := self.output(name))}
        with in_use.writing(bundle, self.progress.say):
            result = index.assemble(self.workshop, outputs, bundle)
        if built and len(outputs) == len(steps):
            freed = disk.trim(self.workshop.cache)
            self.progress.say(f"Build caches that the next build does not need are gone ({freed / disk.GIB:.1f} GiB).")
        return Result(bundle, built, result)

    def output(self, name: str) -> Output | None:
        """Return the output of a step that is up to date."""
        return self.store.find(name, self.workshop.key(name, self.keys))

    def make_alone(self, name: str) -> None:
        """Make one step, with the tools that it needs."""
        self._stage("toolchain", self.workshop.toolchain.ensure)
        self._make(self.workshop.steps[name])

    def _make(self, step: Step) -> float:
        began = time.monotonic()
        needed = {name: output for name in step.needs if (output := self.output(name))}

        def make(report: Callable[[str], None]) -> None:
            with self.store.alone(step.name):
                if self.output(step.name):
                    return  # another build on this cache made it meanwhile
                with self.store.making(step.name, self.workshop.key(step.name, self.keys)) as (into, facts):
                    step.make(needed, into, facts, report)

        self._stage(step.name, make)
        return round(time.monotonic() - began, 2)

    def _stage(self, name: str, work: Callable[[Callable[[str], None]], None]) -> None:
        self.progress.begin(name, None)
        try:
            work(lambda text: self.progress.advance(text, 0))
        except BaseException:
            self.progress.end(name, False)
            raise
        self.progress.end(name, True)


def up_to_date(workshop: Workshop) -> dict[str, Output]:
    """Return the outputs that the tree's recipes ask for and that exist."""
    store = Outputs(workshop.cache)
    keys: dict[str, str] = {}
    found = {name: store.find(name, workshop.key(name, keys)) for name in workshop.steps}
    return {name: output for name, output in found.items() if output}
