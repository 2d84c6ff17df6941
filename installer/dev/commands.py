"""`./atoll dev`."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

import click

from installer.bundle import building
from installer.bundle.errors import BundleError
from installer.bundle.portal import BUILT
from installer.cluster.places import TREE, cache_directory
from installer.dev import processes, settings, tasks
from installer.dev import state as states
from installer.dev.errors import DevError
from installer.dev.postgres import PostgreSQL
from installer.dev.processes import Family
from installer.progress.stages import Progress, progress_for
from installer.progress.timings import Timings

START_TIMEOUT_S = 60.0
SERVICES = ("files", "jobs", "api")


@click.command()
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8080,
    show_default=True,
    help="Where the portal answers, on 127.0.0.1.",
)
@click.option(
    "--state",
    type=click.Path(file_okay=False, path_type=Path),
    default=settings.default_state,
    show_default="~/.local/share/atoll/dev",
    help="Where database, homes and logs lie. A second folder and port are a second platform beside the first.",
)
@click.option("--reset", is_flag=True, help="Start from nothing: remove what the state holds, tasks and homes too.")
@click.option(
    "--no-portal", is_flag=True, help="The API only: for `npm run dev` in platform/portal, which serves the portal."
)
@click.option(
    "--ways-in",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Ways to sign in by others: a YAML file with `ways_in` of the services' configuration (docs/sign-in.md).",
)
def dev(port: int, state: Path, reset: bool, no_portal: bool, ways_in: Path | None) -> None:
    """Run the platform on this machine, without a cluster and without root: for a first look, and for development.

    PostgreSQL, all services and the portal; training runs as processes of yours, on pretended GPUs and NPUs. Nothing
    of it is reached from other machines. Open the address that it prints; Ctrl-C ends all of it, and the next start
    goes on with the same users, tasks and files.

    The first start builds the portal (a minute or so; Node and its packages come from the package registries of your
    pip and npm). It is built again when it changed.
    """
    state = state.expanduser().resolve()
    with _ended_by_signals(), states.own(state), _doors(port) as doors:
        if reset:
            # What runs in it is ended first, for it may be what a kill left.
            Family(state).end()
            tasks.end(settings.storage(state) / "engine")
            states.empty(state)
        _run(doors, state, portal=not no_portal, ways_in=ways_in)


@contextmanager
def _doors(port: int) -> Iterator[dict[str, socket.socket]]:
    """Listen for all services before anything else is done; what they do not take is closed again."""
    with ExitStack() as held:
        yield {name: held.enter_context(processes.listen(port if name == "api" else 0)) for name in SERVICES}


def _run(doors: dict[str, socket.socket], state: Path, portal: bool, ways_in: Path | None) -> None:
    began = time.monotonic()
    ports = {name: processes.port_of(each) for name, each in doors.items()}
    port = ports["api"]
    processes.keep_orphans()
    family = Family(state)
    database = PostgreSQL(state, family)
    password = settings.make_secrets(state / "secrets")
    try:
        with progress_for("text", Timings(state / "timings.json")) as progress:
            progress.expect(("database", "services"))
            served = _portal(state, progress) if portal else None
            with progress.stage("database"):
                database.start()
                settings.storage(state).mkdir(exist_ok=True)
                told = settings.configuration(state, database.connection, ports, served)
                told |= settings.ways_in(ways_in) if ways_in else {}
                config = settings.write(state, told)
                family.do("database-migration", [sys.executable, "-m", "atoll.api.migrate"], _environment(config))
            with progress.stage("services"):
                for name in SERVICES:
                    with doors[name] as given:
                        argv = [sys.executable, "-m", f"atoll.{name}"]
                        config = settings.write(state, settings.of_service(told, name), f"{name}.yaml")
                        family.start(name, argv, _environment(config, given), keeps=(given.fileno(),))
                for name in SERVICES:
                    family.wait_until(name, partial(_ready, ports[name]), START_TIMEOUT_S)
        states.say(state, f"http://127.0.0.1:{port} (process {os.getpid()})")
        _welcome(port, password, state, portal, time.monotonic() - began)
        while True:
            family.check()
            time.sleep(0.3)
    except _Ended:
        click.echo("\nEnding …", err=True)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # it takes seconds
        family.end(*SERVICES)
        ended = tasks.end(settings.storage(state) / "engine")
        family.end()
        database.end()
        processes.end_orphans()
    left = f" {ended} running task{'s were' if ended > 1 else ' was'} ended with it." if ended else ""
    click.echo(f"Ended.{left} `./atoll dev` goes on where you left it.", err=True)


def _portal(state: Path, progress: Progress) -> Path:
    """The built portal, as a copy of our own: the cache may drop it for a newer one while this runs."""
    try:
        built = building.part("portal", progress).path(BUILT)
        place = state / "portal"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(built, place)
        return place
    except BundleError as error:
        raise DevError(str(error), "Without the portal, the API only: ./atoll dev --no-portal") from error
    except OSError as error:
        raise DevError(
            f"the portal cannot be built in {cache_directory()}: {error}",
            "Name a folder of yours in the environment variable ATOLL_CACHE.",
        ) from error


def _environment(config: Path, door: socket.socket | None = None) -> dict[str, str]:
    """What a service is started with; it answers where it is handed a socket that listens, on loopback."""
    given = {**os.environ, "ATOLL_CONFIG": str(config), "PYTHONPATH": str(TREE / "platform")}
    if door is not None:
        given["ATOLL_SOCKET"] = str(door.fileno())
    return given


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


class _Ended(BaseException):
    """Somebody wants it to end: Ctrl-C, `kill`, or the terminal was closed."""


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    def tell(_number: int, _frame: FrameType | None) -> None:
        raise _Ended

    before = {number: signal.signal(number, tell) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    except _Ended:
        raise click.Abort from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _welcome(port: int, password: Path, state: Path, portal: bool, seconds: float) -> None:
    address = f"http://127.0.0.1:{port}"
    click.echo(f"""
  {"Portal    " if portal else "API       "} {address}{"" if portal else "/api/v1/about"}
  User       admin
  Password   the first one lies in {password}
             At the first sign-in you choose your own.
  Logs       {state / "logs"}

Ready in {seconds:.0f} s. Ctrl-C ends it.""")
