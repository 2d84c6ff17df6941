"""The command `users`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from installer.cluster.options import FILE, OUTPUT
from installer.running.accepted import known_cluster
from installer.running.commands import console
from installer.users.import_commands import import_
from installer.users.in_cluster import asked
from installer.users.operator import operator

NAME = click.argument("name", metavar="NAME")


@click.group()
def users() -> None:
    """Accounts of the portal: list, import, disable, enable, reset a password, end sessions.

    It works without the portal. When no administrator can sign in to it any more:

    \b
      ./atoll users list                    who is there, and who is disabled
      ./atoll users enable admin            let an administrator sign in again
      ./atoll users reset-password admin    print a one-time password, once

    Everything is written in the audit, with who did it.
    """


@users.command(name="list")
@FILE
@OUTPUT
def list_(file: Path | None, output: str) -> None:
    """List the accounts: roles, state, sessions, tasks that have not ended."""
    found = asked(known_cluster(file), ["list"])["items"]
    if output == "json":
        click.echo(json.dumps({"users": found}, indent=1))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("user", "roles", "state", "sessions", "tasks", "uid", "made"):
        table.add_column(title)
    for one in found:
        counts = (one["sessions"], one["unfinished_tasks"], one["uid"])
        table.add_row(
            one["name"],
            ", ".join(role["name"] for role in one["roles"]),
            state(one),
            *map(str, counts),
            one["created_at"][:10],
        )
    console().print(table)


@users.command()
@FILE
@OUTPUT
@NAME
@click.option("--stop-tasks", is_flag=True, help="Stop the user's tasks, too; without it they go on.")
def disable(file: Path | None, output: str, name: str, stop_tasks: bool) -> None:
    """Let nobody sign in as NAME; sessions, streams and downloads end within seconds, tasks go on.

    The account of the installation, `admin`, cannot be disabled: so there is always an administrator.
    """
    _act(file, output, ["disable", name, *(["--stop-tasks"] if stop_tasks else [])], told_of_disabling)


@users.command()
@FILE
@OUTPUT
@NAME
def enable(file: Path | None, output: str, name: str) -> None:
    """Let NAME sign in again, with the password of before."""
    _act(file, output, ["enable", name], lambda one: f"{one['name']} can sign in again.")


@users.command(name="reset-password")
@FILE
@OUTPUT
@NAME
@click.option("--keep-links", is_flag=True, help="Leave links with providers; whoever made one signs in as before.")
def reset_password(file: Path | None, output: str, name: str, keep_links: bool) -> None:
    """Give NAME a one-time password and end all sessions, and links with providers.

    It is printed this once and must be changed at the first sign-in.
    """
    _act(file, output, ["reset-password", name, *(["--keep-links"] if keep_links else [])], told_of_password)


@users.command(name="end-sessions")
@FILE
@OUTPUT
@NAME
def end_sessions(file: Path | None, output: str, name: str) -> None:
    """Sign NAME out everywhere; streams and downloads end within seconds, tasks go on."""
    _act(file, output, ["end-sessions", name], lambda one: f"{one['name']} is signed out everywhere.")


users.add_command(import_)


def state(account: dict[str, Any]) -> str:
    """Say whether somebody can sign in."""
    if not account["active"]:
        return "disabled"
    return "must change password" if account["must_change_password"] else "active"


def told_of_disabling(account: dict[str, Any]) -> str:
    """Say what was done, and what goes on."""
    tasks = account["unfinished_tasks"]
    going_on = f" Tasks that have not ended: {tasks} (`--stop-tasks` stops them)." if tasks else ""
    return f"{account['name']} is disabled.{going_on}"


def told_of_password(given: dict[str, Any]) -> str:
    """Say the password, this once."""
    name, ways = given["account"]["name"], given["ways"]
    told = f"One-time password of {name}: {given['password']}\nIt must be changed at the first sign-in."
    return f"{told}\nLinks that were ended: {', '.join(ways)}." if ways else told


def _act(file: Path | None, output: str, arguments: list[str], told: Callable[[dict[str, Any]], str]) -> None:
    done = asked(known_cluster(file), [*arguments, f"--by={operator()}"])
    click.echo(json.dumps(done, indent=1) if output == "json" else told(done))
