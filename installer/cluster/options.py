"""Options that many commands share, and the cluster that they name."""

from __future__ import annotations

from pathlib import Path

import click

from installer.cluster import EXAMPLE, Cluster, load, reference

FILE = click.option(
    "-f",
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The cluster.yaml. Without it: the reference topology (cluster.example.yaml), as lab nodes on this machine.",
)
OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="How to print the result: for people (text) or for programs (json).",
)


def cluster_of(file: Path | None) -> Cluster:
    """Return the cluster that `-f` names, else the reference topology. Raises ClusterError."""
    return load(file) if file else reference()


def file_of(file: Path | None) -> Path:
    """Return the path of the cluster.yaml that `-f` names, else that of the reference topology."""
    return file.absolute() if file else EXAMPLE
