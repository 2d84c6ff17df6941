"""How what is there differs from what a phase left: files, units, packages, images, objects.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_node import NodeError, attributes_of, complaint, dead_mount, known_digest, run

ATTRIBUTES = ("mode", "owner", "group")


def paths(book: Dict[str, Any]) -> Iterator[str]:
    """Yield what differs among directories, files and links."""
    for path, record in book.get("directories", {}).items():
        if dead_mount(path):
            yield "what is mounted at {} does not answer".format(path)
        elif not os.path.isdir(path):
            yield "directory {} is gone".format(path)
        else:
            yield from _attributes("directory", path, record)
    for path, record in book.get("files", {}).items():
        if not os.path.isfile(path):
            yield "file {} is gone".format(path)
            continue
        if record["sha256"] and known_digest(path, record) != record["sha256"]:
            yield "content of {} differs".format(path)
        yield from _attributes("file", path, record)
    for path, target in book.get("links", {}).items():
        if not os.path.islink(path) or os.readlink(path) != target:
            yield "link {} does not lead to {}".format(path, target)


def _attributes(kind: str, path: str, record: Dict[str, str]) -> Iterator[str]:
    seen = attributes_of(path) or {}
    for name in ATTRIBUTES:
        if name in record and seen.get(name) != record[name]:
            yield "{} of {} {} is {}, not {}".format(name, kind, path, seen.get(name), record[name])


def units(book: Dict[str, Any]) -> Iterator[str]:
    """Yield what differs among units."""
    wanted = book.get("units", {})
    if not wanted:
        return
    said = run(["systemctl", "show", "--property", "Id,Names,ActiveState,UnitFileState", *wanted])
    seen = [dict(line.split("=", 1) for line in block.splitlines() if "=" in line) for block in said.split("\n\n")]
    for (name, record), now in zip(wanted.items(), seen):  # noqa: B905 - Python 3.8 has no `strict`
        active = now.get("ActiveState") in ("active", "reloading")
        if active != (record["state"] == "started"):
            yield "unit {} is {}".format(name, now.get("ActiveState"))
        elif active and record.get("check"):
            wrong = complaint(record["check"])
            if wrong:
                yield "unit {}: {}".format(name, wrong)
        enabled = now.get("UnitFileState") == "enabled"
        if record.get("enabled") is not None and enabled != record["enabled"]:
            yield "unit {} is {}".format(name, now.get("UnitFileState") or "not there")


def packages(book: Dict[str, Any], installed: Dict[str, str]) -> Iterator[str]:
    """Yield packages that are gone."""
    for name in book.get("packages", {}):
        if name not in installed:
            yield "package {} is not installed".format(name)


def images(book: Dict[str, Any], there: Dict[str, str]) -> Iterator[str]:
    """Yield images that are gone or are others."""
    for name, digest in book.get("images", {}).items():
        if there.get(name) != digest:
            yield "image {} is {}".format(name, "another" if name in there else "gone")


def objects(book: Dict[str, Any], there: Dict[cluster.Key, Dict[str, Any]]) -> Iterator[str]:
    """Yield objects that are gone or differ."""
    for item in listed(book):
        seen = there.get(cluster.key_of(item))
        if seen is None:
            yield "{} is gone".format(cluster.title(item))
        elif "fields" not in item:
            yield "{} stands in the book of an earlier version".format(cluster.title(item))
        elif cluster.digest(seen, item["fields"]) != item["digest"]:
            yield "{} differs".format(cluster.title(item))


def listed(book: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Return the objects of all parts of a phase."""
    return [item for part in book.get("objects", {}).values() for item in part]


def installed_packages() -> Dict[str, str]:
    """Return the installed packages of a Debian system."""
    said = run(
        ["dpkg-query", "--show", "--showformat", "${Package}\\t${Version}\\t${db:Status-Abbrev}\\n"], accept=(0, 1)
    )
    rows = [line.split("\t") for line in said.splitlines()]
    return {row[0]: row[1] for row in rows if row[-1].startswith("ii")}


def runtime_images() -> Dict[str, str]:
    """Return the images of the container runtime; none where it does not answer, which is a difference of its own."""
    try:
        said = run(["ctr", "--namespace", "k8s.io", "images", "list"], timeout_s=60)
    except NodeError:
        return {}
    rows = [line.split() for line in said.splitlines()[1:] if line.strip()]
    return {row[0]: next((word for word in row if word.startswith("sha256:")), "") for row in rows}
