"""From an archive into the registry: blobs first, the name last, so that a killed import leaves nothing to be seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from typing import Any

from installer.images.archive import Found, Manifest
from installer.images.errors import ImageError
from installer.images.names import Name
from installer.images.registry import INDEX, Registry

Say = Callable[[str], None]


@dataclass(frozen=True)
class Imported:
    """What an import did."""

    name: str
    reference: str
    digest: str
    architectures: tuple[str, ...]
    changed: bool
    bytes_sent: int

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return asdict(self)


def import_image(
    registry: Registry, found: Found, name: Name, architectures: Collection[str], say: Say, *, replace: bool = False
) -> Imported:
    """Put the image under `name`. `architectures` are those of the cluster's nodes. Raises ImageError."""
    fitting = [manifest for manifest in found.manifests if manifest.architecture in architectures]
    if not fitting:
        has = ", ".join(manifest.architecture for manifest in found.manifests)
        needs = " or ".join(sorted(architectures))
        raise ImageError(
            f"The image is for {has}; the nodes of this cluster are {needs}.",
            f"Save it for that architecture, for example: docker pull --platform linux/{sorted(architectures)[0]} …",
        )
    media_type, digest, body = _top(fitting)
    there = registry.digest_of(name.repository, name.tag)
    built_for = tuple(manifest.architecture for manifest in fitting)
    if there == digest:
        return Imported(name.short, name.reference, digest, built_for, changed=False, bytes_sent=0)
    if there is not None and not replace:
        raise ImageError(
            f"`{name.short}` is taken: the registry holds another image ({there[:19]}…) under that name.",
            "Choose another name or tag (--name), or add --replace; tasks that were started with the old one keep it.",
        )
    for manifest in fitting:
        # In the order of the archive: a compressed one is read once, from front to back.
        for number, blob in enumerate(manifest.blobs, 1):
            say(f"{manifest.architecture}: part {number} of {len(manifest.blobs)}, {blob.size:,} bytes")
            registry.put_blob(name.repository, blob.digest, blob.size, blob.content)
        registry.put_manifest(name.repository, manifest.digest, manifest.media_type, manifest.body)
    registry.put_manifest(name.repository, name.tag, media_type, body)
    return Imported(name.short, name.reference, digest, built_for, changed=True, bytes_sent=registry.bytes_sent)


def _top(manifests: list[Manifest]) -> tuple[str, str, bytes]:
    """Return what the tag points at: the manifest of the only architecture, or an index over several."""
    if len(manifests) == 1:
        return manifests[0].media_type, manifests[0].digest, manifests[0].body
    entries = [
        {
            "mediaType": manifest.media_type,
            "digest": manifest.digest,
            "size": len(manifest.body),
            "platform": {"os": "linux", "architecture": manifest.architecture},
        }
        for manifest in manifests
    ]
    body = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": entries}, sort_keys=True).encode()
    return INDEX, f"sha256:{hashlib.sha256(body).hexdigest()}", body
