"""Images: a configuration and a manifest over layers that are shared as blobs of one OCI image layout."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from installer.bundle.layer_archive import LAYER, MEDIA_TYPE
from installer.bundle.lock import Image
from installer.bundle.outputs import Output

CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
EPOCH = "1970-01-01T00:00:00Z"
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def full_name(image: Image) -> str:
    """Return the name under which nodes pull the image."""
    return f"{image.name}:{image.version}"


def compose(image: Image, architecture: str, layers: Sequence[Output], into: Path) -> dict[str, Any]:
    """Write configuration and manifest as blobs into `into`; return the image's facts."""
    environment = {PATH.split("=")[0]: PATH.split("=")[1]} | image.environment
    process = {
        "Entrypoint": image.entrypoint or None,
        "Cmd": image.command or None,
        "Env": [f"{name}={value}" for name, value in environment.items()],
        "User": image.user or None,
        "WorkingDir": image.directory,
    }
    config = {
        "created": EPOCH,
        "architecture": architecture,
        "os": "linux",
        "config": {name: value for name, value in process.items() if value is not None},
        "rootfs": {"type": "layers", "diff_ids": [layer.facts["diff_id"] for layer in layers]},
        "history": [{"created": EPOCH, "created_by": layer.name} for layer in layers],
    }
    config_digest, config_bytes = _write_blob(config, into)
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": {"mediaType": CONFIG_TYPE, "digest": config_digest, "size": config_bytes},
        "layers": [{"mediaType": MEDIA_TYPE, "digest": x.facts["digest"], "size": x.facts["bytes"]} for x in layers],
        "annotations": {
            "org.opencontainers.image.licenses": image.licence,
            "org.opencontainers.image.version": image.version,
        },
    }
    digest, size = _write_blob(manifest, into)
    total = sum(layer.facts["bytes"] for layer in layers) + config_bytes + size
    return {"digest": digest, "manifest_bytes": size, "bytes": total, "name": full_name(image), "set": image.set}


def _write_blob(content: dict[str, Any], into: Path) -> tuple[str, int]:
    data = json.dumps(content, separators=(",", ":"), sort_keys=True).encode()
    digest = hashlib.sha256(data).hexdigest()
    (into / digest).write_bytes(data)
    return f"sha256:{digest}", len(data)


def layout_index(images: Sequence[Output], architecture: str) -> dict[str, Any]:
    """Return `index.json` of the layout: each image under its full name."""
    entries = [
        {
            "mediaType": MANIFEST_TYPE,
            "digest": image.facts["digest"],
            "size": image.facts["manifest_bytes"],
            "platform": {"architecture": architecture, "os": "linux"},
            "annotations": {
                "org.opencontainers.image.ref.name": image.facts["name"],
                "io.containerd.image.name": image.facts["name"],
            },
        }
        for image in sorted(images, key=lambda output: str(output.facts["name"]))
    ]
    return {"schemaVersion": 2, "mediaType": INDEX_TYPE, "manifests": entries}


def blobs(image: Output, layers: Sequence[Output]) -> dict[str, tuple[Path, str, int]]:
    """Return each blob of an image by its file name: where it lies, its digest and size."""
    found = {}
    for name, record in image.files.items():
        found[name] = (image.path(name), record["sha256"], record["bytes"])
    for layer in layers:
        record = layer.files[LAYER]
        found[layer.facts["digest"].removeprefix("sha256:")] = (layer.path(LAYER), record["sha256"], record["bytes"])
    return found
