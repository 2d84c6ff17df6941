"""Names of imported images: they lie in a project of their own, away from what the platform itself is made of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from installer.images.errors import BadName

REGISTRY = "registry.atoll.internal:5000"
PROJECT = "imported"
LATEST = "latest"
# Projects of the registry that belong to the platform.
RESERVED = ("atoll", "frameworks")

_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_PATH = re.compile(rf"{_COMPONENT}(?:/{_COMPONENT})*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_LONGEST_PATH = 200


@dataclass(frozen=True)
class Name:
    """Where an imported image lies."""

    path: str
    tag: str

    @property
    def repository(self) -> str:
        """The repository in the registry."""
        return f"{PROJECT}/{self.path}"

    @property
    def short(self) -> str:
        """The name as a person says it."""
        return f"{self.path}:{self.tag}"

    @property
    def reference(self) -> str:
        """The whole name, as tasks use it."""
        return f"{REGISTRY}/{self.repository}:{self.tag}"


def is_name(repository: str, tag: str) -> bool:
    """Whether a registry can have that repository and that tag."""
    return bool(_PATH.fullmatch(repository) and _TAG.fullmatch(tag))


def name_of(text: str) -> Name:
    """Return the place of an image that somebody calls `text`. Raises BadName.

    The registry that it came from says nothing here, so it is dropped: `docker.io/library/busybox:1.36` is
    `busybox:1.36`. Without a tag it is `latest`.
    """
    shown = text[:200]
    if "@" in text:
        raise BadName(f"`{shown}` names a digest.", "Give a name with a tag: --name busybox:1.36")
    path, colon, tag = text.partition(":") if "/" not in text else _split(text)
    first, _, rest = path.partition("/")
    if rest and first[:1].isalnum() and ("." in first or ":" in first or first == "localhost"):
        path = rest
    path = path.removeprefix("library/").removeprefix(f"{PROJECT}/")
    tag = tag if colon else LATEST
    if not _PATH.fullmatch(path) or len(path) > _LONGEST_PATH or not _TAG.fullmatch(tag):
        raise BadName(
            f"`{shown}` is no name of an image.",
            "Use small letters, digits, `.`, `_`, `-`, parts separated by `/`, then a tag: --name team/tool:1.0",
        )
    project = path.split("/")[0]
    if project in RESERVED:
        raise BadName(
            f"`{shown}`: `{project}/` is where the platform's own images lie.",
            f"Choose another name: --name my-{path.replace('/', '-')}:{tag}",
        )
    return Name(path, tag)


def _split(text: str) -> tuple[str, str, str]:
    """Path and tag of a name with slashes: only a colon behind the last slash begins a tag."""
    before, _, last = text.rpartition("/")
    name, colon, tag = last.partition(":")
    return f"{before}/{name}", colon, tag
