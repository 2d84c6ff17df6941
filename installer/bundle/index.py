"""The bundle's directory: what is placed where, its index with a digest for every file, and the check of both."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installer.bundle import images
from installer.bundle.errors import BundleError
from installer.bundle.outputs import Output, file_digest
from installer.bundle.repository import place
from installer.bundle.steps import Workshop

INDEX = "index.json"
BEGUN = ".bundle"  # in a folder that was empty when a build began, until its index is written
SBOM = "sbom.spdx.json"


@dataclass(frozen=True)
class Placed:
    """A file of the bundle: where it comes from, and its digest."""

    source: Path
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Damage:
    """A file that is not what the index says."""

    path: str
    problem: str


def assemble(workshop: Workshop, outputs: dict[str, Output], bundle: Path) -> dict[str, Any]:
    """Bring the bundle's directory in line with the outputs; return its index."""
    placed, made = _placements(workshop, outputs)
    for path, text in made.items():
        placed[path] = _written(workshop.cache, text)
    index = {
        "version": (workshop.tree / "VERSION").read_text().strip(),
        "files": {path: {"sha256": p.sha256, "bytes": p.bytes} for path, p in sorted(placed.items())},
        "artifacts": _artifacts(workshop, outputs, placed),
    }
    _synchronise(bundle, placed, index)
    return index


def _placements(workshop: Workshop, outputs: dict[str, Output]) -> tuple[dict[str, Placed], dict[str, str]]:
    placed: dict[str, Placed] = {}
    made: dict[str, str] = {}
    listed: dict[str, Any] = {}
    for name, output in outputs.items():
        prefix = _prefix(name)
        if prefix is not None:
            for file, record in output.files.items():
                target = f"{prefix}/{file}"
                placed[target] = Placed(output.path(file), record["sha256"], record["bytes"])
    for architecture in workshop.lock.architectures:
        found = {name: o for name, o in outputs.items() if name.startswith(f"image/{architecture}/")}
        if not found:
            continue
        for name, image in found.items():
            below = [outputs[step] for step in workshop.steps[name].needs]
            for digest, (source, sha256, size) in images.blobs(image, below).items():
                placed[f"images/{architecture}/blobs/sha256/{digest}"] = Placed(source, sha256, size)
            listed.setdefault(
                image.facts["name"],
                {"set": image.facts["set"], "digest": image.facts["digest"], "bytes": image.facts["bytes"]},
            )
        layout = images.layout_index(list(found.values()), architecture)
        made[f"images/{architecture}/index.json"] = json.dumps(layout, indent=1, sort_keys=True) + "\n"
        made[f"images/{architecture}/oci-layout"] = json.dumps({"imageLayoutVersion": "1.0.0"})
    made["images/index.json"] = json.dumps(listed, indent=1, sort_keys=True) + "\n"
    made[SBOM] = _sbom(workshop, outputs)
    return placed, made


def _prefix(name: str) -> str | None:
    """Return the bundle's folder for the files of a step; None for those that are only parts of others."""
    kind, _, rest = name.partition("/")
    match kind:
        case "program":
            return f"bin/{rest.split('/')[0]}"
        case "os":
            architecture, release = rest.split("/")
            return f"os/{release}/{architecture}"
        case "manifest":
            return "manifests"
        case "portal":
            return "platform"
        case _:
            return None


def _artifacts(workshop: Workshop, outputs: dict[str, Output], placed: dict[str, Placed]) -> list[dict[str, Any]]:
    found = []
    for name, output in outputs.items():
        about = workshop.steps[name].describe
        if not about:
            continue
        parts = name.split("/")
        prefix = _prefix(name)
        if prefix is not None:
            files = [f"{prefix}/{file}" for file in output.files]
        else:
            digest = output.facts["digest"].removeprefix("sha256:")
            files = [f"images/{parts[1]}/blobs/sha256/{digest}"]
        found.append(
            {
                "name": name,
                "version": about["version"],
                "arch": parts[1] if len(parts) == 3 else "all",
                "source": about["source"],
                "digest": output.facts.get("digest") or f"input:{output.key}",
                "licence": about["licence"],
                "files": [file for file in files if file in placed],
            }
        )
    return found


def _sbom(workshop: Workshop, outputs: dict[str, Output]) -> str:
    # Imported here: the list of materials reads the modules' own lists, which only a build needs.
    from installer.bundle.sbom import materials

    return materials(workshop, outputs)


def _written(cache: Path, text: str) -> Placed:
    folder = cache / "outputs" / ".made"
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(handle, "w") as stream:
        stream.write(text)
    temporary = Path(name)
    digest = file_digest(temporary)
    temporary.chmod(0o644)
    temporary.rename(folder / digest)
    return Placed(folder / digest, digest, len(text.encode()))


def own(bundle: Path) -> None:
    """Take a folder for a bundle: an empty one, or one that holds a bundle or its beginning. Raises BundleError."""
    if (bundle / INDEX).exists() or (bundle / BEGUN).exists():
        return
    if bundle.exists() and (not bundle.is_dir() or any(bundle.iterdir())):
        raise BundleError(
            f"{bundle} holds something else than a bundle; building one there would remove it",
            "Name a folder that is empty or does not exist.",
        )
    bundle.mkdir(parents=True, exist_ok=True)
    (bundle / BEGUN).touch()


def _synchronise(bundle: Path, placed: dict[str, Placed], index: dict[str, Any]) -> None:
    own(bundle)
    text = json.dumps(index, indent=1, sort_keys=True) + "\n"
    for path, wanted in placed.items():
        target = bundle / path
        if not (target.exists() and target.samefile(wanted.source)):
            if target.exists() and target.stat().st_nlink == 1 and file_digest(target) == wanted.sha256:
                continue
            temporary = target.with_name(f".{target.name}.new")
            place(wanted.source, temporary)
            temporary.rename(target)
    temporary = bundle / f".{INDEX}.new"
    temporary.write_text(text)
    temporary.rename(bundle / INDEX)
    (bundle / BEGUN).unlink(missing_ok=True)
    for extra in _files(bundle) - set(placed) - {INDEX}:
        (bundle / extra).unlink()
    for directory, _names, _entries in os.walk(bundle, topdown=False):
        if Path(directory) != bundle and not any(Path(directory).iterdir()):
            Path(directory).rmdir()


def _files(bundle: Path) -> set[str]:
    found = set()
    for directory, _names, files in os.walk(bundle):
        found |= {str(Path(directory, name).relative_to(bundle)) for name in files}
    return found


def load_index(bundle: Path) -> dict[str, Any]:
    """Read a bundle's index; BundleError if there is none."""
    try:
        index: dict[str, Any] = json.loads((bundle / INDEX).read_text())
    except FileNotFoundError:
        raise BundleError(
            f"there is no bundle in {bundle}", "Run `./atoll bundle build`, or give its folder with --bundle."
        ) from None
    except json.JSONDecodeError as error:
        raise BundleError(
            f"{bundle / INDEX} cannot be read: {error}", "Run `./atoll bundle build`; it writes the index anew."
        ) from error
    return index


def artifacts(bundle: Path) -> set[str]:
    """Return the names of the parts that a bundle holds, of any version; nothing for one that is not there."""
    try:
        return {str(artifact["name"]) for artifact in load_index(bundle)["artifacts"]}
    except BundleError:
        return set()


def verify(bundle: Path) -> list[Damage]:
    """Compare every file with the index: what is missing, changed, or in nobody's list."""
    files = load_index(bundle)["files"]
    present = _files(bundle) - {INDEX}
    damages = [Damage(path, "is not in the index") for path in sorted(present - set(files))]
    damages += [Damage(path, "is missing") for path in sorted(set(files) - present)]
    with ThreadPoolExecutor(2) as pool:
        damages += [
            d for d in pool.map(lambda path: _compared(bundle, path, files[path]), sorted(present & set(files))) if d
        ]
    return damages


def _compared(bundle: Path, path: str, record: dict[str, Any]) -> Damage | None:
    size = (bundle / path).stat().st_size
    if size != record["bytes"]:
        return Damage(path, f"has {size} bytes instead of {record['bytes']}")
    if file_digest(bundle / path) != record["sha256"]:
        return Damage(path, "does not have the digest of the index")
    return None


def owners(workshop: Workshop, outputs: dict[str, Output], paths: Iterable[str]) -> list[str]:
    """Return the steps whose outputs the given files of a bundle come from, so that they can be built again."""
    placed, _made = _placements(workshop, outputs)
    found = set()
    for path in paths:
        if path in placed:
            directory = placed[path].source
            found |= {name for name, output in outputs.items() if directory.is_relative_to(output.directory)}
    return sorted(found)
