"""The commands `validate` and `schema`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from installer.cluster import support
from installer.cluster.checks.finding import Finding
from installer.cluster.findings import mistake
from installer.cluster.json_schema import json_schema
from installer.cluster.mistakes import ClusterError, Mistake
from installer.cluster.options import FILE, OUTPUT, cluster_of, file_of
from installer.cluster.source import read
from installer.exit_codes import BAD_FILE


@click.command()
@FILE
@OUTPUT
def validate(file: Path | None, output: str) -> None:
    """Find every mistake in a cluster.yaml, each with its line and what to do about it.

    Warns of keys that have no effect in this version. Looks at the file only, at no machine. Exit code 0 when it is
    right, 65 when it is not.
    """
    warned: list[Mistake] = []
    try:
        cluster = cluster_of(file)
        warned = _told(file, support.without_effect(cluster))
        if no := _told(file, support.refused(cluster)):
            raise ClusterError(file_of(file), no)
    except ClusterError as error:
        if output == "json":
            print(json.dumps({"ok": False, **_listed(error.mistakes, warned)}, indent=1))
        else:
            count = len(error.mistakes)
            print(error)
            print(f"\n{count} mistake{'s' if count > 1 else ''}.")
        sys.exit(BAD_FILE)
    if output == "json":
        print(json.dumps({"ok": True, **_listed([], warned)}, indent=1))
        return
    for one in warned:
        print(f"{file_of(file).name}:{one.line}: warning: {one.message}\n  {one.remedy}")
    roles = {"master": cluster.masters, "worker": cluster.workers, "storage node": cluster.storage_nodes}
    counts = ", ".join(f"{len(nodes)} {name if len(nodes) == 1 else name + 's'}" for name, nodes in roles.items())
    print(f"{file_of(file).name}: cluster `{cluster.name}` is right: {counts}.")


def _told(file: Path | None, found: Iterable[Finding]) -> list[Mistake]:
    """What is wrong with a file that can be read, at its lines."""
    source = read(file_of(file))
    return sorted(mistake(source, one.where, f"{one.message}.", one.remedy) for one in found)


def _listed(errors: list[Mistake], warnings: list[Mistake]) -> dict[str, list[dict[str, str | int]]]:
    return {"errors": [one.to_json() for one in errors], "warnings": [one.to_json() for one in warnings]}


@click.command()
@OUTPUT
def schema(output: str) -> None:  # noqa: ARG001 - a JSON Schema is JSON in any case
    """Print the JSON Schema of cluster.yaml.

    Editors with a YAML language server complete and check keys with it; put this line at the top of your cluster.yaml:

        # yaml-language-server: $schema=cluster.schema.json
    """
    print(json.dumps(json_schema(), indent=1, ensure_ascii=False))
