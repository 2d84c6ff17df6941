"""The commands `up` and `down`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from installer import exit_codes
from installer.cluster import cache_directory
from installer.cluster.options import FILE, OUTPUT, cluster_of, file_of
from installer.progress.stages import progress_for
from installer.progress.timings import Timings
from installer.running.commands import tell, tell_error
from installer.running.errors import RunError
from installer.running.status import portal_of


@click.command()
@FILE
@OUTPUT
def up(file: Path | None, output: str) -> None:
    """Build everything, from nothing to a portal: bundle, nodes (for a lab), Kubernetes, the platform.

    Run it again at any time: it does what is missing, and nothing else.
    """
    from installer.up.whole_way import up as build

    cluster = cluster_of(file)
    with progress_for(output, Timings(cache_directory() / "timings.json")) as progress:
        try:
            outcome = build(cluster, file_of(file).read_text("utf-8"), progress)
        except Exception as error:
            tell_error(error, progress)
            raise
        if outcome.ok:
            where = portal_of(cluster)
            progress.say(f"\nThe portal is at {where.url}")
            progress.say(f"  sign in with   {where.credentials_file}")
            progress.say(f"  its CA is      {where.ca_file}\n")
        tell(outcome, progress)
    raise SystemExit(exit_codes.OK if outcome.ok else exit_codes.FAILED)


@click.command()
@FILE
@OUTPUT
@click.option("--yes", is_flag=True, help="Do not ask.")
def down(file: Path | None, output: str, yes: bool) -> None:
    """Remove the nodes of a lab with all their data, and what this machine knows about that cluster.

    Only for clusters with a section `lab`. Servers are never touched.
    """
    from installer.up.teardown import remove_lab

    cluster = cluster_of(file)
    if cluster.lab is None:
        raise RunError(f"`{cluster.name}` is not a lab: its nodes are servers.", "`down` removes labs only.")
    if not yes and sys.stdin.isatty():
        click.confirm(f"Remove the lab `{cluster.name}` with all data of its {len(cluster.nodes)} nodes?", abort=True)
    with progress_for(output) as progress:
        remove_lab(cluster, progress)
        progress.event("finished", ok=True)
