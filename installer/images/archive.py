"""What an archive says: one image, for one or several architectures, as manifests and the blobs that they name.

Two forms are understood: an OCI image layout (`index.json`), and the older one of `docker save` (`manifest.json`),
which is turned into OCI manifests: configuration and layers stay what they are.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from installer.images.containers import REMEDY, Container
from installer.images.errors import BadArchive
from installer.images.registry import INDEXES, MANIFEST

CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
_CONFIGS = (CONFIG, "application/vnd.docker.container.image.v1+json")
_MAGIC = ((b"\x1f\x8b", "+gzip"), (b"\x28\xb5\x2f\xfd", "+zstd"))
_NAMES = ("io.containerd.image.name", "org.opencontainers.image.ref.name")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LARGEST_JSON = 4 << 20  # registries take no larger ones
MOST_LAYERS = 512
MOST_MANIFESTS = 200  # looked at: of architectures, attestations and indexes


@dataclass(frozen=True)
class Blob:
    """A piece of an image."""

    digest: str
    size: int
    content: Callable[[], Iterator[bytes]]


@dataclass(frozen=True)
class Manifest:
    """An image for one architecture."""

    architecture: str
    media_type: str
    digest: str
    body: bytes
    blobs: tuple[Blob, ...]


@dataclass(frozen=True)
class Found:
    """The image of an archive."""

    name: str | None
    manifests: tuple[Manifest, ...]


def image_in(container: Container, where: str) -> Found:
    """Return the image that the archive holds. Raises BadArchive."""
    try:
        if container.has("index.json"):
            return _layout(container, where)
        if container.has("manifest.json"):
            return _docker(container, where)
    except (AttributeError, LookupError, TypeError, RecursionError) as error:
        raise BadArchive(f"{where}: what should describe the image is written in another way.", REMEDY) from error
    raise BadArchive(f"{where} holds no image: neither index.json nor manifest.json is in it.", REMEDY)


def _layout(container: Container, where: str) -> Found:
    by_name: dict[str | None, list[Manifest]] = {}
    looked_at = _Looks(where)
    for entry in _json(container, "index.json", where).get("manifests", []):
        notes = entry.get("annotations") or {}
        name = next((str(notes[key]) for key in _NAMES if key in notes), None)
        by_name.setdefault(name, []).extend(_manifests(container, entry, where, looked_at))
    images = {name: found for name, found in by_name.items() if found}
    if not images:
        raise BadArchive(f"{where} holds no image for Linux.", f"Save the image again, with its layers. {REMEDY}")
    if len(images) > 1:
        names = ", ".join(sorted(str(name) for name in images))
        raise BadArchive(f"{where} holds {len(images)} images: {names}.", "Save each into a file of its own.")
    ((name, found),) = images.items()
    # `ref.name` of a layout is often nothing but the tag.
    return Found(name if name and (":" in name or "/" in name) else None, _one_each(found, where))


def _one_each(found: list[Manifest], where: str) -> tuple[Manifest, ...]:
    by_digest = {manifest.digest: manifest for manifest in found}
    by_architecture = {manifest.architecture: manifest for manifest in by_digest.values()}
    if len(by_architecture) < len(by_digest):
        raise BadArchive(f"{where} holds several images for one architecture.", "Save each into a file of its own.")
    return tuple(by_architecture[name] for name in sorted(by_architecture))


class _Looks:
    """How many manifests were looked at: an index may name itself, or a few indexes each other many times."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._count = 0

    def one(self) -> None:
        """Count. Raises BadArchive."""
        self._count += 1
        if self._count > MOST_MANIFESTS:
            raise BadArchive(f"{self._where} names more than {MOST_MANIFESTS} manifests: no image has that.", REMEDY)


def _manifests(container: Container, entry: dict[str, Any], where: str, looks: _Looks) -> Iterator[Manifest]:
    looks.one()
    digest, media_type = _digest_of(entry, where), str(entry.get("mediaType", MANIFEST))
    if not container.has(_path(digest)):
        return  # a layout may name architectures that were not saved
    body = _small(container, _path(digest), where)
    content = _parsed(body, digest, where)
    if media_type in INDEXES or "manifests" in content:
        for inner in content.get("manifests", []):
            yield from _manifests(container, inner, where, looks)
        return
    config_entry = content.get("config") or {}
    if config_entry.get("mediaType") not in _CONFIGS or "vnd.docker.reference.type" in (entry.get("annotations") or {}):
        return  # signatures, attestations, charts: not what can be started
    _refuse_many(content.get("layers", []), where)
    parts = {_digest_of(part, where): part for part in (config_entry, *content.get("layers", []))}
    missing = [digest for digest in parts if not container.has(_path(digest))]
    if _digest_of(config_entry, where) in missing:
        return
    config = _json(container, _path(_digest_of(config_entry, where)), where)
    if config.get("os") != "linux":
        return
    if missing:
        raise BadArchive(
            f"{where} lacks {len(missing)} of {len(parts)} parts of its image, first {missing[0]}.", REMEDY
        )
    blobs = (_blob(container, name, _path(name), where) for name in parts)
    yield Manifest(str(config.get("architecture")), media_type, digest, body, tuple(blobs))


def _docker(container: Container, where: str) -> Found:
    listed = _json(container, "manifest.json", where)
    if not isinstance(listed, list) or len(listed) != 1:
        raise BadArchive(f"{where} holds {len(listed)} images.", "Save each into a file of its own.")
    names = listed[0].get("RepoTags") or [None]
    config_name, layer_names = str(listed[0]["Config"]), [str(name) for name in listed[0]["Layers"]]
    _refuse_many(layer_names, where)
    for name in (config_name, *layer_names):
        if not container.has(name):
            raise BadArchive(f"{where} lacks {name}.", f"Save the image again. {REMEDY}")
    config = _json(container, config_name, where)
    if config.get("os") != "linux":
        raise BadArchive(f"{where} is an image for {config.get('os')}.", "Tasks run Linux images.")
    blobs, layers = [_hashed(container, config_name, where)], []
    digests = dict(enumerate(config.get("rootfs", {}).get("diff_ids", [])))
    for number, name in enumerate(layer_names):
        blob = _hashed(container, name, where)
        start = next(container.content(name), b"")[:4]
        packed = next((suffix for magic, suffix in _MAGIC if start.startswith(magic)), "")
        if not packed and digests.get(number, blob.digest) != blob.digest:
            raise _damaged(where, name)
        blobs.append(blob)
        layers.append({"mediaType": LAYER + packed, "digest": blob.digest, "size": blob.size})
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {"mediaType": CONFIG, "digest": blobs[0].digest, "size": blobs[0].size},
        "layers": layers,
    }
    body = json.dumps(manifest, separators=(",", ":"), sort_keys=True).encode()
    digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
    return Found(names[0], (Manifest(str(config.get("architecture")), MANIFEST, digest, body, tuple(blobs)),))


def _hashed(container: Container, name: str, where: str) -> Blob:
    total = hashlib.sha256()
    for chunk in container.content(name):
        total.update(chunk)
    return _blob(container, f"sha256:{total.hexdigest()}", name, where)


def _blob(container: Container, digest: str, name: str, where: str) -> Blob:
    def content() -> Iterator[bytes]:
        total = hashlib.sha256()
        for chunk in container.content(name):
            total.update(chunk)
            yield chunk
        if digest != f"sha256:{total.hexdigest()}":
            raise _damaged(where, name)

    return Blob(digest, container.size(name), content)


def _damaged(where: str, name: str) -> BadArchive:
    return BadArchive(f"{where} is damaged: {name} is not what was saved.", "Copy it again, or save the image again.")


def _path(digest: str) -> str:
    return "blobs/" + digest.replace(":", "/")


def _digest_of(entry: dict[str, Any], where: str) -> str:
    digest = str(entry.get("digest", ""))
    if not _DIGEST.fullmatch(digest):
        raise BadArchive(f"{where} names a part `{digest[:80]}`, which is no SHA-256 digest.", REMEDY)
    return digest


def _refuse_many(layers: list[Any], where: str) -> None:
    if len(layers) > MOST_LAYERS:
        raise BadArchive(f"{where} has {len(layers)} layers; an image has at most {MOST_LAYERS}.", REMEDY)


def _json(container: Container, name: str, where: str) -> Any:
    return _parsed(_small(container, name, where), name, where)


def _small(container: Container, name: str, where: str) -> bytes:
    if container.size(name) > _LARGEST_JSON:
        raise BadArchive(f"{where}: {name} is too large for what it should be.", REMEDY)
    return b"".join(container.content(name))


def _parsed(body: bytes, name: str, where: str) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise BadArchive(f"{where}: {name} is not JSON ({error}).", f"Save the image again. {REMEDY}") from error
