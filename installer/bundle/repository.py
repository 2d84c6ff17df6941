"""A small Debian repository: package files, `Packages`, and which package belongs to which group."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from installer.bundle.debian import Package, as_stanza, stanzas
from installer.bundle.execution import output_of


def place(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`: a hard link where the file system allows it, else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def write_repository(places: Mapping[Package, Path], into: Path) -> None:
    """Write the package files and the index that `apt` reads."""
    into.mkdir(parents=True, exist_ok=True)
    paragraphs = []
    for package, source in sorted(places.items()):
        place(source, into / package.file_name)
        fields = next(stanzas(output_of(["dpkg-deb", "-f", source])))
        fields |= {"Filename": f"./{package.file_name}", "Size": str(package.bytes), "SHA256": package.sha256}
        paragraphs.append(as_stanza(fields))
    (into / "Packages").write_text("".join(f"{paragraph}\n" for paragraph in paragraphs))


def write_groups(groups: Mapping[str, list[str]], closures: Mapping[str, list[Package]], into: Path) -> None:
    """Write what a role installs (`groups.json`) and the files that takes on a minimal system (`closures.json`)."""
    (into / "groups.json").write_text(json.dumps(groups, indent=1, sort_keys=True) + "\n")
    files = {group: sorted(package.file_name for package in packages) for group, packages in closures.items()}
    (into / "closures.json").write_text(json.dumps(files, indent=1, sort_keys=True) + "\n")
