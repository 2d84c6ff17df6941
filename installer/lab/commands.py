"""The commands `lab up`, `lab status`, `lab exec`, `lab down`, `lab poweroff` and `lab start`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from installer.cluster.options import FILE, OUTPUT, cluster_of
from installer.exit_codes import FAILED
from installer.lab import labs
from installer.progress.stages import progress_for


@click.group()
def lab() -> None:
    """Nodes on this machine: real systemd and real SSH, with no route out. Needs root."""


@lab.command()
@FILE
@OUTPUT
def up(file: Path | None, output: str) -> None:
    """Start every node of the cluster that does not run; a running one is left alone."""
    cluster = cluster_of(file)
    with progress_for(output) as progress:
        started = labs.up(cluster, progress)
        if output == "json":
            progress.event("finished", ok=True, started=started)
        else:
            progress.say(f"Started: {', '.join(started)}." if started else "All nodes run already.")


@lab.command()
@FILE
@OUTPUT
def status(file: Path | None, output: str) -> None:
    """Show every node: running, stopped, abandoned (its supervisor was killed) or absent.

    Exit code 0 when all nodes of the file run and answer, 1 otherwise.
    """
    seen = labs.status(cluster_of(file))
    healthy = all(node.state == "running" and node.ssh for node in seen if node.in_file)
    if output == "json":
        click.echo(json.dumps({"ok": healthy, "nodes": labs.as_json(seen)}, indent=1))
    else:
        for node in seen:
            ssh = "SSH answers" if node.ssh else "no SSH"
            stranger = "" if node.in_file else "  (not in cluster.yaml)"
            click.echo(f"{node.name:<20} {node.address:<16} {node.state:<10} {ssh}{stranger}")
    sys.exit(0 if healthy else FAILED)


@lab.command(name="exec", context_settings={"ignore_unknown_options": True})
@FILE
@click.argument("node")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def execute(file: Path | None, node: str, command: tuple[str, ...]) -> None:
    """Run COMMAND as root in NODE, also where its SSH is broken. The exit code is the command's."""
    argv = labs.inside(cluster_of(file).name, node, command)
    os.execvp(argv[0], argv)  # noqa: S606 - the caller's terminal, signals and exit code are the command's


@lab.command()
@FILE
@OUTPUT
@click.option("--name", help="Remove the lab of this name, when its cluster.yaml is gone.")
@click.argument("nodes", nargs=-1)
def down(file: Path | None, output: str, name: str | None, nodes: tuple[str, ...]) -> None:
    """Remove NODES, or without names the whole lab, with their disks. Works on what a kill or a reboot left, too."""
    if name is not None and (file or nodes):
        raise click.UsageError("--name removes a whole lab, and needs neither -f nor names of nodes")
    cluster = cluster_of(file)
    with progress_for(output) as progress:
        for node in nodes:
            labs.remove_node(cluster, node)
        if name is not None:
            labs.down_by_name(name, progress)
        elif not nodes:
            labs.down(cluster, progress)
        gone = ", ".join(nodes) or f"the lab `{name or cluster.name}`"
        progress.event("finished", ok=True)
        progress.say(f"Removed {gone}.") if output == "text" else None


@lab.command()
@FILE
@click.argument("node")
def poweroff(file: Path | None, node: str) -> None:
    """Cut the power of NODE: nothing in it gets a chance to shut down. Its disk stays."""
    labs.power_off(cluster_of(file), node)
    click.echo(f"{node} is off.")


@lab.command()
@FILE
@OUTPUT
@click.argument("node")
def start(file: Path | None, output: str, node: str) -> None:
    """Start NODE with the disk it has."""
    cluster = cluster_of(file)
    with progress_for(output) as progress:
        begun = labs.start(cluster, node, progress)
        progress.event("finished", ok=True, started=[node] if begun else [])
        if output == "text":
            progress.say(f"{node} runs." if begun else f"{node} runs already.")
