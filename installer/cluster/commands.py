"""The commands `validate` and `schema`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from installer.cluster.json_schema import json_schema
from installer.cluster.mistakes import ClusterError
from installer.cluster.options import FILE, OUTPUT, cluster_of, file_of
from installer.exit_codes import BAD_FILE


@click.command()
@FILE
@OUTPUT
def validate(file: Path | None, output: str) -> None:
    """Find every mistake in a cluster.yaml, each with its line and what to do about it.

    Looks at the file only, at no machine. Exit code 0 when it is right, 65 when it is not.
    """
    try:
        cluster = cluster_of(file)
    except ClusterError as error:
        if output == "json":
            print(json.dumps({"ok": False, "errors": [mistake.to_json() for mistake in error.mistakes]}, indent=1))
        else:
            count = len(error.mistakes)
            print(error)
            print(f"\n{count} mistake{'s' if count > 1 else ''}.")
        sys.exit(BAD_FILE)
    if output == "json":
        print(json.dumps({"ok": True, "errors": []}, indent=1))
        return
    roles = {"master": cluster.masters, "worker": cluster.workers, "storage node": cluster.storage_nodes}
    counts = ", ".join(f"{len(nodes)} {name if len(nodes) == 1 else name + 's'}" for name, nodes in roles.items())
    print(f"{file_of(file).name}: cluster `{cluster.name}` is right: {counts}.")


@click.command()
@OUTPUT
def schema(output: str) -> None:  # noqa: ARG001 - a JSON Schema is JSON in any case
    """Print the JSON Schema of cluster.yaml.

    Editors with a YAML language server complete and check keys with it; put this line at the top of your cluster.yaml:

        # yaml-language-server: $schema=cluster.schema.json
    """
    print(json.dumps(json_schema(), indent=1, ensure_ascii=False))
