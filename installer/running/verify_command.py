"""The command `verify`."""

from __future__ import annotations

from pathlib import Path

import click

from installer import exit_codes
from installer.cluster import state_directory
from installer.cluster.options import FILE, OUTPUT
from installer.progress.stages import Progress, progress_for
from installer.progress.timings import Timings
from installer.running import cis, cis_waivers
from installer.running.accepted import known_cluster
from installer.running.run import Outcome
from installer.running.verify import verify as ask


@click.command()
@FILE
@OUTPUT
@click.option("--phase", "phases", multiple=True, metavar="NAME", help="Only this phase (may be repeated).")
@click.option("--node", "nodes", multiple=True, metavar="NAME", help="Only this node (may be repeated).")
@click.option("--cis", "benchmark", is_flag=True, help="Instead: the checks of the CIS benchmark (kube-bench).")
@click.option(
    "--waivers",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=f"With --cis: your waivers. Without it: {cis_waivers.NAME} beside the cluster.yaml of -f, if there is one.",
)
def verify(
    file: Path | None,
    output: str,
    phases: tuple[str, ...],
    nodes: tuple[str, ...],
    benchmark: bool,
    waivers: Path | None,
) -> None:
    """Ask every part of the cluster whether it keeps what it promises. Changes nothing.

    Says which part of which node is broken, and what to do. Exit code 0 when nothing is, 1 when something is. With `-o
    json` the last line is the event `finished`; its `failures` are what is broken; with `--cis` the event `cis`.
    """
    from installer.planning import BY_NAME

    cluster = known_cluster(file)
    unknown = [f"phase `{name}`" for name in phases if name not in BY_NAME]
    unknown += [f"node `{name}`" for name in nodes if name not in {node.name for node in cluster.nodes}]
    if unknown:
        raise click.UsageError(f"There is no {', no '.join(unknown)} in this cluster.")
    if (benchmark and phases) or (waivers and not benchmark):
        raise click.UsageError("--cis goes with --node and --waivers, and with no --phase.")
    if benchmark:
        beside = file.absolute().parent / cis_waivers.NAME if file else None
        given = waivers or (beside if beside and beside.exists() else None)
        with progress_for(output, Timings(state_directory(cluster) / "timings.json")) as progress:
            verdict = cis.check(cluster, nodes, given, progress)
            cis.tell(verdict, progress)
        raise SystemExit(exit_codes.OK if verdict.ok else exit_codes.FAILED)
    with progress_for(output, Timings(state_directory(cluster) / "timings.json")) as progress:
        outcome = ask(cluster, phases, nodes, progress)
        tell(outcome, progress)
    raise SystemExit(exit_codes.OK if outcome.ok else exit_codes.FAILED)


def tell(outcome: Outcome, progress: Progress) -> None:
    """Say what is broken: words, or the `finished` event."""
    for failure in outcome.failures:
        progress.say(f"BROKEN: node `{failure.node}`, {failure.phase}: {failure.message}\n  {failure.remedy}")
    asked = sum(len(phase.nodes) for phase in outcome.phases)
    if outcome.ok:
        progress.say(f"Nothing is broken: {asked} parts were asked (run {outcome.run_id}).")
    progress.event("finished", **outcome.to_json())
