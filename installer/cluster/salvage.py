"""What can be read of a cluster.yaml with mistakes, so that checks over several values find what else is wrong with it.

A value that cannot be read gives way to its default, a node's name or address to one that nobody has. What a check then
says of such a place, or with its help, is not told: only what holds however the mistake is mended.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from installer.cluster.checks import Finding
from installer.cluster.defaults import over_defaults
from installer.cluster.findings import meant
from installer.cluster.schema import Cluster
from installer.cluster.source import Source, Where, path_text

_ROUNDS = 5  # taking a value out may leave a group without a key that it needs, which is taken out then
_UNUSED_ADDRESSES = ipaddress.IPv4Address("240.0.0.1")
# Keys of a node without which nothing can be said about the number of nodes of a kind.
_KINDS = ("name", "roles", "accelerators")


Broken = tuple[Where, ...]


def salvage(wanted: dict[str, Any]) -> tuple[Cluster | None, Broken]:
    """Return the cluster without what is broken, and the places of that; no cluster where nothing coherent is left.

    An unknown key is in nobody's way, but that which it was probably meant to be has not its default either.
    """
    rest, broken = deepcopy(wanted), list[Where]()
    for _ in range(_ROUNDS):
        try:
            return Cluster.model_validate(over_defaults(rest)), tuple(broken)
        except ValidationError as error:
            for detail in error.errors(include_url=False, include_input=False, include_context=False):
                where = tuple(step for step in detail["loc"] if step != "[key]")
                if detail["type"] != "extra_forbidden":
                    broken.append(where)
                elif other := meant(str(where[-1]), where[:-1], Cluster):
                    broken.append((*where[:-1], other))
                _take_out(rest, where, detail["type"] == "missing")
    return None, tuple(broken)


def _take_out(rest: dict[str, Any], where: Where, missing: bool) -> None:
    if where == ("name",):
        rest["name"] = "unnamed"
    elif where[:1] == ("nodes",) and len(where) > 1:
        _take_out_of_node(rest["nodes"], int(where[1]), where[2:], missing)
    else:
        _remove(rest, where[:-1] if missing else where)


def _take_out_of_node(nodes: list[Any], index: int, where: Where, missing: bool) -> None:
    stand_ins = {"name": _unread(index), "address": str(_UNUSED_ADDRESSES + index)}
    if not isinstance(nodes[index], dict):
        nodes[index] = stand_ins
    elif where and where[0] in stand_ins:
        nodes[index][where[0]] = stand_ins[str(where[0])]
    else:
        _remove(nodes[index], where[:-1] if missing else where)


def _remove(content: Any, where: Where) -> None:
    """Take a value out; a list of which an item cannot be read goes whole, so that all others keep their number."""
    keys: list[tuple[dict[str, Any], str]] = []
    for step in where:
        if isinstance(content, dict) and isinstance(step, str):
            keys.append((content, step))
            content = content.get(step)
        elif isinstance(content, list) and isinstance(step, int) and step < len(content):
            content = content[step]
        else:
            break
    if keys:
        holder, key = keys[-1]
        holder.pop(key, None)


def nodes_are_known(source: Source, broken: Broken) -> bool:
    """Say whether it is known which nodes there are, and what each is."""
    if any(mistake.path.startswith("nodes") for mistake in source.mistakes):
        return False
    inside = [where for where in broken if where[:1] == ("nodes",)]
    return all(len(where) > 2 and where[2] not in _KINDS for where in inside)


def sound(found: Iterable[Finding], broken: Broken) -> Iterator[Finding]:
    """Yield the findings that have nothing to do with what is broken."""
    names = [f"`{path_text(where)}" for where in broken if where[:1] != ("nodes",)]
    for finding in found:
        if any(finding.where[: len(where)] == where for where in broken):
            continue
        if any(f"{name}{end}" in finding.message for name in names for end in ("`", ".")):
            continue
        yield replace(finding, message=_named(finding.message, broken))


def _unread(index: int) -> str:
    return f"unread-{index + 1}"


def _named(message: str, broken: Broken) -> str:
    """Call a node without a readable name by its number."""
    for where in broken:
        if where[:1] == ("nodes",) and len(where) > 1:
            message = message.replace(f"node `{_unread(int(where[1]))}`", f"node {int(where[1]) + 1} of the list")
    return message
