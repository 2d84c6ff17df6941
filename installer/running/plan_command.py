"""The command `plan`."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from installer.cluster import bundle_directory, state_directory
from installer.cluster.options import FILE, OUTPUT, cluster_of
from installer.exit_codes import FAILED, OK, SOMETHING_TO_DO
from installer.planning.digests import collect
from installer.planning.phases import BY_NAME
from installer.planning.plan import Plan, Step
from installer.planning.plan import plan as make


@click.command()
@FILE
@OUTPUT
@click.option("--every-phase", is_flag=True, help="Plan all that belongs there, whether it is needed or not.")
@click.option(
    "--phase", "phases", multiple=True, type=click.Choice(list(BY_NAME)), help="Only this phase (repeatable)."
)
@click.option("--node", "nodes", multiple=True, help="Only this node (repeatable).")
@click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), help="Keep the plan in this file, for `apply --plan`."
)
def plan(
    file: Path | None,
    output: str,
    every_phase: bool,
    phases: tuple[str, ...],
    nodes: tuple[str, ...],
    save: Path | None,
) -> None:
    """Say what apply would do: which phase on which node, and why. Changes nothing.

    Reasons: new, input changed (which), drifted (what was changed by hand), failed before, no longer wanted. A node
    that stands and is no longer in cluster.yaml is named, with what to do. Exit code 0 when there is nothing to do, 2
    when there is something, 1 when it cannot be done now.
    """
    from installer.running import accepted, unverified
    from installer.running.observe import observe  # it needs SSH and Kubernetes, which `--help` does not

    cluster = cluster_of(file)
    unknown = set(nodes) - {node.name for node in cluster.nodes}
    if unknown:
        raise click.UsageError(f"There is no node {', '.join(sorted(unknown))} in this cluster.")
    accepted.refuse_unreadable(state_directory(cluster))
    standing = accepted.standing(state_directory(cluster))
    made = make(cluster, standing, observe(cluster, standing), collect(cluster), every_phase).only(phases, nodes)
    made = replace(made, notes=(*made.notes, *unverified.told(cluster, state_directory(cluster))))
    if save:
        made.save(save)
    if output == "json":
        click.echo(json.dumps(made.to_json(), indent=1))
    else:
        show(made, Console())
    sys.exit(FAILED if made.blocked else SOMETHING_TO_DO if made else OK)


def show(made: Plan, console: Console) -> None:
    """Print a plan for people: a line for each phase and reason, with its nodes."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("phase", "nodes", "what", "why"):
        table.add_column(title)
    for node, _ in made.leaving:
        table.add_row("–", node, "leaves", "no longer wanted")
    for (phase, action, why), steps in groupby(made.steps, key=lambda step: (step.phase, step.action, _why(step))):
        table.add_row(phase, ", ".join(step.node for step in steps), action, escape(why))
    if made or made.leaving:
        console.print(table)
    if made:
        phases = {step.phase for step in made.steps}
        counts = ", ".join(
            f"{count} {word if count == 1 else word + 's'}"
            for count, word in ((len(made.steps), "step"), (len(phases), "phase"), (len(made.nodes()), "node"))
        )
        console.print(f"\n{counts}.")
    elif not made.leaving:
        console.print(f"Nothing to do: `{made.cluster}` is as its cluster.yaml says.")
    if made and not (bundle_directory() / "index.json").exists():
        console.print("[yellow]The bundle is not built yet, so phases that use its files are planned in any case.[/]")
    for warning in made.warnings:
        console.print(f"[yellow]{escape(warning)}[/]", soft_wrap=True)
    for problem in made.blocked:
        console.print(f"[red]{escape(problem)}[/]", soft_wrap=True)


def _why(step: Step) -> str:
    return f"{step.reason}: {step.detail}" if step.detail else step.reason
