"""`python -m installer.testing.mutation`: the mutation gate as a command."""

from __future__ import annotations

import sys

import click

from installer.testing.mutation.gate import COUNT, PART_S, Gate, Part
from installer.testing.mutation.mutants import last_common
from installer.testing.mutation.records import Kept, report
from installer.testing.mutation.rooms import ROOMS
from installer.testing.results import DIRECTORY, ROOT, commit


@click.command()
@click.argument("rooms", nargs=-1, type=click.Choice([room.name for room in ROOMS]))
@click.option("--seed", help="Decides which mutants are tried; without it the commit does.")
@click.option("--count", default=COUNT, show_default=True, help="Mutants of each room.")
@click.option("--part-s", default=PART_S, show_default=True, help="Seconds after which no mutant is begun.")
@click.option("--changed", is_flag=True, help="Try a few mutants of changed lines only.")
@click.option("--base", help="With --changed: the commit to compare with. [default: where main was left, or HEAD~1]")
def main(rooms: tuple[str, ...], seed: str | None, count: int, part_s: float, changed: bool, base: str | None) -> None:
    """Break the ROOMS (all) in one place at a time and see whether their tests notice.

    Exit code 1 where a room is below the goal, or not tried to its end: run it again, it goes on from there. With
    --changed every survivor counts, and as many are tried as there is time for.
    """
    now = commit()
    seed = seed or now
    folder = DIRECTORY / "mutation"
    wanted = [room for room in ROOMS if not rooms or room.name in rooms]
    if changed:
        gate = Gate(ROOT, Part(part_s), click.echo)
        scores = gate.changed(wanted, base or last_common(ROOT), seed)
        bad = [score for score in scores if score.broken or any(verdict.survived for verdict in score.verdicts)]
        click.echo(report(scores, now, seed))
        sys.exit(1 if bad else 0)
    scores = Gate(ROOT, Part(part_s), click.echo, Kept(folder, now, seed)).rooms(wanted, seed, count)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.md").write_text(report(scores, now, seed) + "\n", encoding="utf-8")
    for score in scores:
        click.echo(f"{score.room:<18} {score.noticed} of {len(score.counted)} noticed  {score.complaint}".rstrip())
    if not all(score.whole for score in scores):
        click.echo("not in this part: run it again, it goes on from here")
    sys.exit(1 if any(score.complaint for score in scores) else 0)


if __name__ == "__main__":
    main()
