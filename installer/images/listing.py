"""Which images people have imported, and what one of them is: asked of the registry itself, which alone knows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from installer.images.names import PROJECT, REGISTRY
from installer.images.registry import INDEXES, Registry

AT_ONCE = 8


@dataclass(frozen=True)
class Listed:
    """An image of the registry."""

    repository: str
    tag: str
    reference: str
    digest: str
    architectures: tuple[str, ...]
    size_bytes: int

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return asdict(self)


@dataclass(frozen=True)
class Described(Listed):
    """An image with what it starts by itself."""

    command: tuple[str, ...]
    working_directory: str


def images(registry: Registry) -> list[Listed]:
    """Return the imported images, sorted by name and tag."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        repositories = registry.repositories(PROJECT)
        tags = pool.map(registry.tags, repositories)
        names = [(repository, tag) for repository, found in zip(repositories, tags, strict=True) for tag in found]
        described = pool.map(lambda name: describe(registry, *name), names)
        listed = [Listed(**{key: getattr(one, key) for key in Listed.__annotations__}) for one in described if one]
    return sorted(listed, key=lambda image: (image.repository, image.tag))


def describe(registry: Registry, repository: str, tag: str) -> Described | None:
    """Return what the registry has under a name, None if there is nothing."""
    found = registry.manifest(repository, tag)
    if found is None:
        return None
    digest, content = found
    manifests = [content]
    if content.get("mediaType") in INDEXES or "manifests" in content:
        inner = (registry.manifest(repository, str(entry["digest"])) for entry in content["manifests"])
        manifests = [one[1] for one in inner if one is not None]
    # Layers that architectures share count once.
    sizes = {part["digest"]: int(part["size"]) for one in manifests for part in (one["config"], *one["layers"])}
    configs = [registry.config(repository, str(one["config"]["digest"])) for one in manifests]
    process = (configs[0].get("config") or {}) if configs else {}
    return Described(
        repository=repository,
        tag=tag,
        reference=f"{REGISTRY}/{repository}:{tag}",
        digest=digest,
        architectures=tuple(sorted(str(config.get("architecture")) for config in configs)),
        size_bytes=sum(sizes.values()),
        command=(*(process.get("Entrypoint") or ()), *(process.get("Cmd") or ())),
        working_directory=str(process.get("WorkingDir") or "/"),
    )
