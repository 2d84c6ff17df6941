"""The list of materials (SPDX 2.3): every Go module, Debian package and Python package that is in the bundle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from installer.bundle.outputs import Output, fingerprint
from installer.bundle.steps import Workshop

PINNED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)", re.MULTILINE)


def materials(workshop: Workshop, outputs: dict[str, Output]) -> str:
    """Return the document; the same outputs give the same text."""
    packages: dict[str, dict[str, Any]] = {}
    relations = []
    for name in sorted(outputs):
        about = workshop.steps[name].describe
        if not about:
            continue
        part = _identifier(name)
        packages[part] = _package(part, name, about["version"], about["licence"], "")
        relations.append(_relation("SPDXRef-DOCUMENT", "DESCRIBES", part))
        for address in _contents(workshop, outputs[name]):
            inner = _identifier(address)
            bare, version = address.rsplit("@", 1)
            packages.setdefault(
                inner, _package(inner, bare.split("/", 1)[1], version.split("?")[0], "NOASSERTION", address)
            )
            relations.append(_relation(part, "CONTAINS", inner))
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "atoll-bundle",
        "documentNamespace": f"urn:atoll:bundle:{fingerprint(sorted(packages))}",
        "creationInfo": {"created": "1970-01-01T00:00:00Z", "creators": ["Tool: atoll bundle"]},
        "packages": [packages[key] for key in sorted(packages)],
        "relationships": relations,
    }
    return json.dumps(document, indent=1) + "\n"


def _contents(workshop: Workshop, output: Output) -> Iterator[str]:
    """Yield the package addresses (purl) of what a part is made from."""
    kind, *rest = output.name.split("/")
    if kind == "program":
        yield from (f"pkg:golang/{module}" for module in output.facts["modules"])
    elif kind == "os":
        for group in workshop.lock.debian.groups:
            yield from _debian(workshop, rest[0], f"group/{group}")
    elif kind == "image":
        for layer in workshop.images.images[rest[1]].layers:
            recipe = workshop.images.layers[layer]
            if recipe.bootstrap:
                yield from _debian(workshop, rest[0], "base")
            elif recipe.packages or recipe.unpacked:
                yield from _debian(workshop, rest[0], f"layer/{layer}")
            if recipe.requirements:
                text = (workshop.tree / "requirements" / f"{recipe.requirements}.txt").read_text()
                yield from (f"pkg:pypi/{package}@{version}" for package, version in PINNED.findall(text))


def _debian(workshop: Workshop, architecture: str, name: str) -> Iterator[str]:
    for package in workshop.packages(architecture, name):
        yield f"pkg:deb/debian/{package.name}@{package.version}?arch={package.architecture}"


def _identifier(text: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def _package(identifier: str, name: str, version: str, licence: str, address: str) -> dict[str, Any]:
    package: dict[str, Any] = {
        "SPDXID": identifier,
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence if " see " not in f" {licence} " and licence != "Debian" else "NOASSERTION",
    }
    if address:
        package["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": address}
        ]
    return package


def _relation(one: str, kind: str, other: str) -> dict[str, str]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
