"""The commands `test`, `features` and `bench`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from installer.testing import features as feature_list
from installer.testing import page
from installer.testing.results import ROOT, Report, commit, counted, read_all
from installer.testing.runner import closing, run
from installer.testing.suites import SUITES, Set, chosen

OUTPUT = click.option(
    "-o", "--output", type=click.Choice(["text", "json"]), default="text", help="How to print the result."
)


@click.command()
@click.argument("suites", nargs=-1)
@click.option("--fast", "wanted", flag_value="fast", type=str, help="Only the suites that need no lab nodes.")
@click.option("--all", "wanted", flag_value="all", type=str, help="The long suites too.")
@click.option("--list", "list_only", is_flag=True, help="List the suites and what each needs.")
def test(suites: tuple[str, ...], wanted: str | None, list_only: bool) -> None:
    """Run the tests: the CI set, or the named SUITES.

    Ends with a table of the features proven by this commit, by group. Exit code 0 when everything passed, 1 when
    something failed or was skipped without a reason, 64 for an unknown suite.
    """
    if list_only:
        for suite in SUITES:
            print(f"{suite.name:<12} {suite.belongs_to:<5} {suite.title}; needs {suite.needs}")
        return
    names: Set = "fast" if wanted == "fast" else "all" if wanted == "all" else "ci"
    try:
        todo = chosen(suites, names)
    except KeyError as unknown:
        raise click.UsageError(f"there is no suite {unknown}; `./atoll test --list` shows them") from None
    ended = run(todo, node_directory())
    reports = read_all()
    rows, refused = proven(reports)
    print("\n" + "\n".join([feature_list.summary(rows), *refused]) + "\n")
    print(closing(ended, reports))
    sys.exit(1 if any(end.reason for end in ended) else 0)


def proven(reports: list[Report]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the table of features by the results of this commit, and a line for each result that does not count."""
    count, refused = counted(reports, commit())
    return feature_list.table(count, feature_list.owed(), feature_list.superseded()), refused


@click.command()
@OUTPUT
@click.option("--write", is_flag=True, help="Write docs/features.md from the marks of the tests instead.")
def features(output: str, write: bool) -> None:
    """Show which of the owed features have a passing proof, and on what, by the stored results of this commit.

    Results of another commit or of a changed tree, and tests that were skipped or retried, prove nothing.
    """
    if write:
        try:
            page.write()
        except ValueError as wrong:
            raise click.ClickException(str(wrong)) from None
        return
    rows, refused = proven(read_all())
    if output == "json":
        print(json.dumps({"features": rows, "not_counted": refused}, ensure_ascii=False, indent=1))
        return
    for row in rows:
        print(f"{row['id']:>4}  {row['status']:<10}  {row['feature']}")
    print("\n" + "\n".join([feature_list.summary(rows), *refused]))


@click.command()
@click.argument("names", nargs=-1)
@click.option("--complete", is_flag=True, help="Fail also when a figure was not measured on this commit.")
@OUTPUT
def bench(names: tuple[str, ...], complete: bool, output: str) -> None:
    """Measure figures (all, or the NAMES) and compare them with the stored baselines in tests/bench.

    `up_cold`, half an hour of building from nothing with a lab of its own, is measured only when it is named.
    """
    from installer.testing.bench import measure

    sys.exit(measure(names, as_json=output == "json", complete=complete))


def node_directory() -> Path:
    """Return the directory of the pinned node and npm, installing the toolchain when it is missing."""
    from installer.bundle.toolchain import Toolchain
    from installer.cluster.places import cache_directory

    toolchain = Toolchain(cache_directory(), ROOT)
    toolchain.ensure(print)
    return toolchain.programs
