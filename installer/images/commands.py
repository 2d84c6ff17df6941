"""The commands `image import` and `image list`."""

from __future__ import annotations

import getpass
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.table import Table

from installer.cluster import Cluster, is_installed, state_directory
from installer.cluster.drivers import REGISTRY
from installer.cluster.options import FILE, OUTPUT
from installer.images.archive import image_in
from installer.images.containers import opened
from installer.images.errors import BadName, ImageError
from installer.images.importing import Imported, import_image
from installer.images.listing import images
from installer.images.names import PROJECT, name_of
from installer.images.registry import Registry, connect
from installer.images.tunnel import to_registry
from installer.redaction import Redactor
from installer.running.accepted import known_cluster
from installer.running.commands import console
from installer.running.journal import Journal, new_run_id


@click.group()
def image() -> None:
    """Import images of your own into the cluster's registry, and list them.

    Any Linux image can be run as a task: with a framework that the platform does not bring, or with a program that
    needs nothing of it. In the portal, choose "Own image" in New training.
    """


@image.command(name="import")
@FILE
@OUTPUT
@click.argument("archive", type=click.Path(path_type=Path))
@click.option("--name", "wanted", metavar="NAME[:TAG]", help="What to call it; without it, as the archive says.")
@click.option("--replace", is_flag=True, help="Take the name from another image that has it.")
def import_(file: Path | None, output: str, archive: Path, wanted: str | None, replace: bool) -> None:
    """Import ARCHIVE: an image saved by docker, podman, skopeo or buildah (.tar), or an OCI layout (directory).

    \b
      docker save my/tool:1.0 -o tool.tar
      ./atoll image import tool.tar
      ./atoll image import tool.tar --name team/tool:1.0

    It becomes registry.atoll.internal:5000/imported/NAME:TAG. Only what the registry lacks is sent, and the name comes
    last: after a kill nothing half-done can be seen; run it again. An image that is there already is left as it is.
    """
    cluster = _cluster(file)
    say = (lambda text: click.echo(text, err=True)) if output == "text" else (lambda _text: None)
    with opened(archive) as container:
        found = image_in(container, str(archive))
        if wanted is None and found.name is None:
            raise BadName(f"{archive} does not say what the image is called.", "Say it: --name team/tool:1.0")
        name = name_of(wanted or str(found.name))
        architectures = {str(node.arch) for node in cluster.nodes}
        with _registry(cluster) as registry, _journal(cluster, str(archive.absolute())) as journal:
            done = import_image(registry, found, name, architectures, say, replace=replace)
            journal.write("image", **done.to_json())
    if output == "json":
        click.echo(json.dumps(done.to_json(), indent=1))
    else:
        _tell(done)


@image.command(name="list")
@FILE
@OUTPUT
def list_(file: Path | None, output: str) -> None:
    """List the imported images: name, tag, size, architectures."""
    with _registry(_cluster(file)) as registry:
        found = images(registry)
    if output == "json":
        click.echo(json.dumps({"images": [one.to_json() for one in found]}, indent=1))
        return
    if not found:
        click.echo("No image was imported yet: ./atoll image import FILE")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("image", "tag", "size", "architectures", "digest"):
        table.add_column(title)
    for one in found:
        short = one.repository.removeprefix(f"{PROJECT}/")
        size = f"{one.size_bytes / (1 << 20):,.1f} Mi"
        table.add_row(short, one.tag, size, ", ".join(one.architectures), one.digest[:19])
    console().print(table)


def _cluster(file: Path | None) -> Cluster:
    cluster = known_cluster(file)
    if not is_installed(cluster):
        raise ImageError(f"Cluster `{cluster.name}` is not installed from this machine.", "Install it: `./atoll up`.")
    if not REGISTRY[cluster.registry.driver].managed:
        raise ImageError(
            f"Cluster `{cluster.name}` uses an existing Harbor.",
            f"Push there, into its project `{PROJECT}`, with docker or skopeo and your own account.",
        )
    return cluster


@contextmanager
def _registry(cluster: Cluster) -> Iterator[Registry]:
    pki = state_directory(cluster) / "pki" / "registry"
    with to_registry(cluster) as socket, connect(pki, {"uds": str(socket)}) as client:
        yield Registry(client)


@contextmanager
def _journal(cluster: Cluster, archive: str) -> Iterator[Journal]:
    """Keep who imported what: `./atoll runs list` shows it."""
    run_id, began = new_run_id(), time.monotonic()
    with Journal(state_directory(cluster) / "runs" / run_id, Redactor()) as journal:
        journal.write("started", run=run_id, verb="image import", by=getpass.getuser(), archive=archive)
        state = "failed"
        try:
            yield journal
            state = "succeeded"
        except ImageError as error:
            journal.write("failure", message=error.message, remedy=error.remedy)
            raise
        finally:
            journal.write("finished", state=state, seconds=round(time.monotonic() - began, 3))


def _tell(done: Imported) -> None:
    if done.changed:
        sent = f"{done.bytes_sent / (1 << 20):,.1f} Mi sent"
        click.echo(f"Imported {done.name} ({', '.join(done.architectures)}, {sent}).")
    else:
        click.echo(f"{done.name} is there already, exactly this image: nothing to do.")
    click.echo(f"  tasks use it as  {done.reference}")
