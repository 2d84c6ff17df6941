"""The lock file as types."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from installer.bundle.errors import BundleError

Architecture = Literal["amd64", "arm64"]
ImageSet = Literal["base", "platform", "framework"]


class Locked(BaseModel):
    """What all entries have in common: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


T = TypeVar("T", bound=Locked)


class Program(Locked):
    """A family of programs built from one Go module of `platform/packaging`: `module`, else the one of its own name."""

    version: str
    source: str
    licence: str
    builds: dict[str, str]
    variables: dict[str, str] = {}
    tags: list[str] = []
    cgo: bool = False
    module: str = ""
    architectures: list[Architecture] = ["amd64", "arm64"]


class Debian(Locked):
    """What comes from Debian: the release, what a node has before us, and the groups that roles install."""

    release: str
    node_base: list[str]
    groups: dict[str, list[str]]


class Manifest(Locked):
    """A kustomization inside the module of a program."""

    program: str
    path: str


class Lock(Locked):
    """`lock.yaml`."""

    architectures: list[Architecture]
    programs: dict[str, Program]
    debian: Debian
    manifests: dict[str, Manifest]


class Layer(Locked):
    """A layer of images: how it is filled, what is taken away, and a line of Python that must work in it then."""

    above: list[str] = []
    bootstrap: bool = False
    packages: list[str] = []
    unpacked: list[str] = []
    remove: list[str] = []
    requirements: str | None = None
    sources: list[str] = []
    programs: dict[str, str] = {}
    links: dict[str, str] = {}
    files: dict[str, str] = {}
    portal: str | None = None
    directories: dict[str, str] = {}
    accounts: bool = False
    owner: str = "0:0"
    check: str = ""


class Image(Locked):
    """An image: layers and how it is started."""

    name: str
    version: str
    set: ImageSet
    licence: str
    layers: list[str]
    entrypoint: list[str] = []
    command: list[str] = []
    environment: dict[str, str] = {}
    user: str = ""
    directory: str = "/"
    architectures: list[Architecture] = ["amd64", "arm64"]
    later: bool = False  # the portal does not wait for it: `up` makes it when the portal answers


class Images(Locked):
    """`images.yaml` and `layers.yaml` together."""

    layers: dict[str, Layer]
    images: dict[str, Image]


def load_lock(tree: Path) -> Lock:
    """Read `installer/bundle/lock.yaml` of a tree."""
    path = tree / "installer" / "bundle" / "lock.yaml"
    return _validated(Lock, path, yaml.safe_load(path.read_text()))


def load_images(tree: Path) -> Images:
    """Read the recipes of layers and images of a tree, with the version of the tree filled in."""
    directory = tree / "platform" / "images"
    version = (tree / "VERSION").read_text().strip()
    text = (directory / "images.yaml").read_text().replace("{version}", version)
    content = {"layers": yaml.safe_load((directory / "layers.yaml").read_text()), "images": yaml.safe_load(text)}
    images = _validated(Images, directory, content)
    for name, image in images.images.items():
        for layer in image.layers:
            if layer not in images.layers:
                raise BundleError(
                    f"{directory}/images.yaml: image `{name}`: there is no layer `{layer}`", "Add it to layers.yaml."
                )
    return images


def _validated(kind: type[T], path: Path, content: object) -> T:
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        raise BundleError(
            f"{path}: {error}", "Mend the recipe; the fields are described in installer/bundle/lock.py."
        ) from error
