"""From a file to a checked cluster, or to all that is wrong with the file."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from installer.cluster.checks import Circumstances, findings
from installer.cluster.defaults import over_defaults
from installer.cluster.findings import mistake, mistake_of
from installer.cluster.mistakes import ClusterError, Mistake
from installer.cluster.places import EXAMPLE, is_installed
from installer.cluster.salvage import Broken, nodes_are_known, salvage, sound
from installer.cluster.schema import Cluster
from installer.cluster.source import Source, parse, read


def load(path: Path | str, installed: bool | None = None) -> Cluster:
    """Read and check a cluster.yaml. Raises ClusterError with every mistake in it.

    `installed` says whether the cluster exists already (None: look for its state on this machine); what only a first
    install forbids is then allowed.
    """
    return _checked(read(Path(path)), installed)


def loads(text: str, name: str = "cluster.yaml", installed: bool | None = None) -> Cluster:
    """Check the text of a cluster.yaml that is called `name`. Raises ClusterError."""
    return _checked(parse(text, Path(name)), installed)


def reference() -> Cluster:
    """Return the reference topology, as lab nodes on this machine: what is built when nobody names a file."""
    return load(EXAMPLE)


def _checked(source: Source, installed: bool | None) -> Cluster:
    wanted = over_defaults(_long_form(source.content))
    mistakes = list(source.mistakes)
    broken: Broken = ()
    try:
        cluster: Cluster | None = Cluster.model_validate(wanted)
    except ValidationError as error:
        mistakes += [mistake_of(detail, source, Cluster) for detail in error.errors(include_url=False)]
        cluster, broken = salvage(wanted)
    if cluster is not None:
        known = is_installed(cluster) if installed is None else installed
        complete = nodes_are_known(source, broken)
        for finding in sound(findings(cluster, Circumstances(known, complete)), broken):
            mistakes.append(mistake(source, finding.where, finding.message, finding.remedy))
    if mistakes:
        raise ClusterError(source.file, _once(mistakes))
    assert cluster is not None  # noqa: S101 - without mistakes there was no ValidationError
    return cluster


def _long_form(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content with `resource_limit: {TYPE: {cpu, memory}}` written out: the bare values are the ceiling."""
    limits = content.get("resource_limit")
    if not isinstance(limits, dict):
        return content
    content = deepcopy(content)
    for value in content["resource_limit"].values():
        if isinstance(value, dict) and {"cpu", "memory"} & value.keys():
            bare = {key: value.pop(key) for key in ("cpu", "memory") if key in value}
            value["ceiling"] = bare | (value.get("ceiling") or {})
    return content


def _once(mistakes: list[Mistake]) -> list[Mistake]:
    return list(dict.fromkeys(mistakes))
