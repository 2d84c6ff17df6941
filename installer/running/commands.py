"""The commands `apply`, `status`, `runs` and `kubectl`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from installer import exit_codes
from installer.cluster import state_directory
from installer.cluster.options import FILE, OUTPUT, cluster_of, file_of
from installer.progress.stages import Progress, duration, progress_for
from installer.progress.timings import Timings
from installer.running import kubectl as passing_through
from installer.running import runs as earlier
from installer.running.accepted import known_cluster
from installer.running.errors import RunError
from installer.running.journal import read
from installer.running.ports import show_ports
from installer.running.run import Outcome
from installer.running.status import show
from installer.running.status import status as look
from installer.services.access import Access
from installer.services.listening import table as table_of_ports

PIPE_WIDTH = 240


@click.command()
@FILE
@OUTPUT
@click.option("--ports", is_flag=True, help="Show what listens on nodes and who may come there, by the table of ports.")
def status(file: Path | None, output: str, ports: bool) -> None:
    """Show the nodes, the services and where the portal is.

    Exit code 0 when every node is ready and every service runs (or was stopped), 1 otherwise; with `--ports` 0 when all
    that listens has a row in the table and every node answered.
    """
    cluster = known_cluster(file)
    if ports:
        listening = table_of_ports(Access(cluster))
        if output == "json":
            click.echo(json.dumps(listening, indent=1))
        else:
            show_ports(listening, console())
        raise SystemExit(exit_codes.FAILED if listening["without_row"] or listening["silent"] else exit_codes.OK)
    passing_through.administrator_configuration(cluster)
    seen = look(cluster)
    if output == "json":
        click.echo(json.dumps(seen.to_json(), indent=1))
    else:
        show(seen, console())
    raise SystemExit(exit_codes.OK if seen.healthy else exit_codes.FAILED)


class PassedOn(click.Command):
    """Takes everything behind its name as it stands: click itself would swallow the `--` of `kubectl exec`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave every word to the command; `--help` alone asks for ours, as of every command."""
        if args == ["--help"]:
            click.echo(ctx.get_help())
            ctx.exit()
        ctx.params["arguments"] = tuple(args)
        return []


@click.command(cls=PassedOn)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def kubectl(arguments: tuple[str, ...]) -> None:
    """Run kubectl as the cluster's administrator; everything behind `kubectl` (and a first `--`) is passed on.

    `./atoll kubectl get pods` and `./atoll kubectl -- get pods` are the same; `./atoll kubectl -- --help` is kubectl's
    own help. To name a cluster.yaml other than the accepted one, put it first: `./atoll kubectl -f FILE -- get pods`.
    """
    file = None
    if len(arguments) > 2 and arguments[0] == "-f" and "--" in arguments[2:3]:
        file, arguments = Path(arguments[1]), arguments[3:]
    elif arguments[:1] == ("--",):
        arguments = arguments[1:]
    passing_through.become(known_cluster(file), arguments)


@click.group()
def runs() -> None:
    """Show earlier runs of apply, and what each did."""


@runs.command(name="list")
@FILE
@OUTPUT
def list_runs(file: Path | None, output: str) -> None:
    """List the runs, the latest first."""
    found = earlier.runs(state_directory(known_cluster(file)))
    if output == "json":
        click.echo(json.dumps({"runs": [run.summary() for run in found]}, indent=1))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("run", "what", "state", "took", "changed", ""):
        table.add_column(title)
    for run in found:
        took = duration(run.seconds) if run.seconds is not None else ""
        first_line = run.message.partition("\n")[0]
        table.add_row(run.id, run.verb, run.state, took, str(run.changed), escape(first_line[:80]))
    console().print(table if found else "No runs yet.")


@runs.command(name="show")
@FILE
@OUTPUT
@click.argument("run_id", metavar="ID")
def show_run(file: Path | None, output: str, run_id: str) -> None:
    """Show one run: its phases, what each node did, timings, and what failed. `latest` is the last one."""
    state = state_directory(known_cluster(file))
    if run_id == "latest":
        newest = earlier.runs(state, newest=1)
        run_id = newest[0].id if newest else run_id
    folder = earlier.find(state, run_id)
    if folder is None:
        raise RunError(f"There is no run `{run_id}`.", "`./atoll runs list` shows which there are.")
    run = earlier.run(folder)
    if output == "json":
        click.echo(json.dumps(run.to_json() | {"events": list(read(folder))}, indent=1))
        return
    screen = console()
    took = f", took {duration(run.seconds)}" if run.seconds is not None else ""
    screen.print(f"[bold]{run.id}[/] {run.verb}: {run.state}, began {run.started_at}{took}, {run.changed} changed")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("phase", "state", "took", "changed", "nodes"):
        table.add_column(title)
    for phase in run.phases:
        took = duration(phase.seconds) if phase.seconds is not None else ""
        nodes = ", ".join(f"{node} {seen}" for node, seen in phase.nodes.items())
        table.add_row(phase.name, phase.state, took, str(phase.changed), nodes)
    screen.print(table)
    if run.message:
        screen.print(f"[red]{escape(run.message)}[/]")
    screen.print(f"[dim]Ansible's own output: {folder / 'ansible.log'}[/]")


@click.command()
@FILE
@OUTPUT
@click.option("--every-phase", is_flag=True, help="Run every phase where it belongs, needed or not.")
@click.option(
    "--plan", "plan_file", type=click.Path(dir_okay=False, path_type=Path), help="Do this saved plan, if it still fits."
)
@click.option("--phase", "phases", multiple=True, metavar="NAME", help="Only this phase (may be repeated).")
@click.option("--node", "nodes", multiple=True, metavar="NAME", help="Only this node (may be repeated).")
@click.option("--over", type=int, metavar="REVISION", help="Overwrite this revision of cluster.yaml on the masters.")
def apply(
    file: Path | None,
    output: str,
    every_phase: bool,
    plan_file: Path | None,
    phases: tuple[str, ...],
    nodes: tuple[str, ...],
    over: int | None,
) -> None:
    """Do what `plan` says, and nothing else. Accepts the cluster.yaml as the cluster's new revision.

    Killed or failed half-way: run it again, it goes on where it was. With `-o json` the last line is the event
    `finished` with counts, timings and failures.
    """
    from installer.planning import BY_NAME
    from installer.running.apply import Wish
    from installer.running.apply import apply as carry_out

    cluster = cluster_of(file)
    unknown = [f"phase `{name}`" for name in phases if name not in BY_NAME]
    unknown += [f"node `{name}`" for name in nodes if name not in {node.name for node in cluster.nodes}]
    if unknown:
        raise click.UsageError(f"There is no {', no '.join(unknown)} in this cluster.")
    wish = Wish(file_of(file).read_text("utf-8"), every_phase, plan_file, over, phases, nodes)
    with progress_for(output, Timings(state_directory(cluster) / "timings.json")) as progress:
        try:
            outcome = carry_out(cluster, wish, progress)
        except Exception as error:
            tell_error(error, progress)
            raise
        tell(outcome, progress)
    raise SystemExit(exit_codes.OK if outcome.ok else exit_codes.FAILED)


def console() -> Console:
    """Return where tables are printed: as wide as the terminal, and never broken where there is none."""
    return Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)


def tell(outcome: Outcome, progress: Progress) -> None:
    """Say how a run ended: its `finished` event, or words."""
    for failure in outcome.failures:
        progress.say(f"FAILED: {failure}")
    if outcome.run_id:
        counted = f"{outcome.changed} changed in {duration(outcome.seconds)}"
        if outcome.ok:
            progress.say(f"Done: {counted} (run {outcome.run_id}).")
        else:
            progress.say(
                f"Run {outcome.run_id} failed; {counted}. `./atoll runs show {outcome.run_id}` shows all of it. "
                "Mend the cause, then run the same command again: it goes on where it was."
            )
    progress.event("finished", **outcome.to_json())


def tell_error(error: Exception, progress: Progress) -> None:
    """Say in the `finished` event why there is no outcome; people read the error itself."""
    message = str(getattr(error, "message", error))
    remedy = str(getattr(error, "remedy", ""))
    failed = Outcome(ok=False, seconds=0.0).to_json() | {"failed": 1, "message": message, "remedy": remedy}
    progress.event("finished", **failed)
