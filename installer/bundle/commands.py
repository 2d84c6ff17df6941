"""`./atoll bundle …`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from installer.bundle.building import ensure, renew_lock, up_to_date
from installer.bundle.debian_lock import tree_lock_path
from installer.bundle.index import load_index, owners, verify
from installer.bundle.steps import Workshop
from installer.cluster.places import TREE, bundle_directory, cache_directory
from installer.progress.stages import progress_for

OUTPUT = click.option(
    "-o", "--output", type=click.Choice(["text", "json"]), default="text", help="How to print the result."
)
BUNDLE = click.option(
    "--bundle",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Another folder than $ATOLL_CACHE/bundle.",
)


@click.group()
def bundle() -> None:
    """Everything that nodes need, in one directory: programs, images, OS packages, manifests.

    Exit codes: 0 fine, 1 something is wrong (it says what).
    """


@bundle.command()
@click.argument("names", nargs=-1)
@click.option("--again", is_flag=True, help="Build the named parts anew, also when they are up to date.")
@click.option("--locked", is_flag=True, help="Refuse Debian packages other than those of the tree's lock file.")
@BUNDLE
@OUTPUT
def build(names: tuple[str, ...], again: bool, locked: bool, bundle: Path | None, output: str) -> None:
    """Build what is missing: everything, or the parts NAMES (`list` shows them) and what they need."""
    with progress_for(output) as progress:
        result = ensure(bundle or bundle_directory(), names or None, progress, locked=locked, again=again)
    found = {"bundle": str(result.bundle), "built": result.built, "bytes": _total(result.index)}
    text = "".join(f"{seconds:8.1f} s  {name}\n" for name, seconds in result.built.items())
    _print(
        output,
        {"event": "finished", "ok": True, **found},
        f"{text}{result.bundle}: {_total(result.index) / 1e9:.2f} GB",
    )


@bundle.command(name="verify")
@BUNDLE
@OUTPUT
def verify_command(bundle: Path | None, output: str) -> None:
    """Compare every file of the bundle with its digest."""
    directory = bundle or bundle_directory()
    damages = verify(directory)
    count = len(load_index(directory)["files"])
    found: dict[str, Any] = {"ok": not damages, "files": count, "damages": [vars(damage) for damage in damages]}
    if not damages:
        _print(output, found, f"{directory}: {count} files, all as in the index")
        return
    workshop = Workshop(TREE, cache_directory())
    parts = owners(workshop, up_to_date(workshop), [damage.path for damage in damages])
    found["remedy"] = f"./atoll bundle build --again {' '.join(parts)}".rstrip()
    lines = [f"{directory / damage.path}: {damage.problem}" for damage in damages]
    _print(output, found, "\n".join([*lines, f"  Run `{found['remedy']}`."]))
    raise SystemExit(1)


@bundle.command(name="list")
@OUTPUT
def list_command(output: str) -> None:
    """Show every part, its version, and whether it is built."""
    workshop = Workshop(TREE, cache_directory())
    present = up_to_date(workshop)
    parts: list[dict[str, Any]] = [
        {
            "name": name,
            "built": name in present,
            "bytes": sum(f["bytes"] for f in present[name].files.values()) if name in present else 0,
        }
        | {key: step.describe.get(key, "") for key in ("version", "source", "licence")}
        for name, step in workshop.steps.items()
    ]
    lines = [
        f"{'built  ' if p['built'] else 'missing'} {p['bytes'] / 1e6:8.1f} MB  {p['name']} {p['version']}"
        for p in parts
    ]
    _print(output, {"parts": parts}, "\n".join(lines))


@bundle.command()
@OUTPUT
def path(output: str) -> None:
    """Print where the bundle lies."""
    _print(output, {"path": str(bundle_directory())}, str(bundle_directory()))


@bundle.command()
def relock() -> None:
    """Lock the Debian packages that the archive has now (installer/bundle/debian.lock); commit the result."""
    workshop = Workshop(TREE, cache_directory())
    renew_lock(workshop, tree_lock_path(TREE), lambda text: click.echo(text, err=True))


def _total(index: dict[str, Any]) -> int:
    return sum(int(record["bytes"]) for record in index["files"].values())


def _print(output: str, found: dict[str, Any], text: str) -> None:
    click.echo(json.dumps(found) if output == "json" else text)
