"""What pydantic says of a cluster.yaml, in the words of Atoll: each kind of error with a message and a remedy."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from installer.cluster.mistakes import KIND, Mistake
from installer.cluster.source import Source, Step, Where, path_text

# Keys that people know from elsewhere and that no likeness of letters leads to ours.
_OTHER_NAMES = {
    "ip": "address",
    "host": "address",
    "hostname": "name",
    "role": "roles",
    "gpus": "accelerators",
    "npus": "accelerators",
    "devices": "accelerators",
    "architecture": "arch",
    "disks": "data_disks",
    "pod_cidr": "pod_network",
    "service_cidr": "service_network",
    "key": "key_file",
    "private_key": "key_file",
    "bastion": "jump",
    "sudo": "become",
}
_NEEDS = {
    "string_type": ("text", "Write text; put numbers that are meant as text in quotes."),
    "int_type": ("a whole number", "Write a whole number without unit and quotes."),
    "int_parsing": ("a whole number", "Write a whole number without unit and quotes."),
    "int_from_float": ("a whole number", "Write a whole number without unit and quotes."),
    "float_type": ("a number", "Write a number, like 0.5."),
    "float_parsing": ("a number", "Write a number, like 0.5."),
    "bool_type": ("true or false", "Write true or false without quotes."),
    "bool_parsing": ("true or false", "Write true or false without quotes."),
    "list_type": ("a list", "Write [a, b], or one item per line, each beginning with `- `."),
    "dict_type": ("a group of keys", "Write its keys below it, indented, or leave it out."),
    "model_type": ("a group of keys", "Write its keys below it, indented, or leave it out."),
}


def mistake_of(error: ErrorDetails, source: Source, root: type[BaseModel]) -> Mistake:
    """Return an error of pydantic as a mistake at its line."""
    where = tuple(step for step in error["loc"] if step != "[key]")
    message, remedy = _explain(error, where, root)
    return mistake(source, where, message, remedy)


def mistake(source: Source, where: Sequence[Step], message: str, remedy: str) -> Mistake:
    """Return a mistake at a place of the file; one in a node begins with the node's name."""
    node = _node_name(source.content, where)
    return Mistake(source.line(where), path_text(where), f"node `{node}`: {message}" if node else message, remedy)


def _node_name(content: Any, where: Sequence[Step]) -> str | None:
    if len(where) < 2 or where[0] != "nodes" or not isinstance(where[1], int):
        return None
    nodes = content.get("nodes")
    node = nodes[where[1]] if isinstance(nodes, list) and where[1] < len(nodes) else None
    return str(node["name"]) if isinstance(node, Mapping) and node.get("name") is not None else None


def _explain(error: ErrorDetails, where: Where, root: type[BaseModel]) -> tuple[str, str]:
    kind, context, value = error["type"], error.get("ctx", {}), error.get("input")
    key = str(where[-1]) if where else "the file"
    inside = where[2:] if where[:1] == ("nodes",) and len(where) > 2 else where
    name = path_text(inside)
    if kind == KIND:
        return f"`{name}`: {context['message']}" if inside else str(context["message"]), str(context["remedy"])
    if kind == "extra_forbidden":
        return f"key `{name}` is unknown.", _did_you_mean(key, where[:-1], root)
    if kind == "missing":
        return f"key `{name}` is missing.", f"Add `{key}:`; cluster.example.yaml explains it."
    shown = _shown(value)
    if kind in _NEEDS:
        wanted, remedy = _NEEDS[kind]
        return f"`{name}` must be {wanted}, not {shown}.", remedy
    if kind == "literal_error":
        return f"`{name}` cannot be {shown}.", f"Choose {context['expected']}.".replace("'", "`")
    bounds = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    for bound, words in bounds.items():
        if bound in context:
            return f"`{name}` must be {words} {context[bound]}, not {shown}.", f"Write a number that is {words} that."
    if kind in {"too_short", "string_too_short"}:
        return (
            f"`{name}` is empty.",
            "Write one item at least." if kind == "too_short" else "Write something, or remove it.",
        )
    return f"`{name}`: {error['msg']}, not {shown}.", "cluster.example.yaml explains this key."


def _shown(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a group of keys"
    return f"`{str(value)[:60]}`"


def _did_you_mean(key: str, where: Where, root: type[BaseModel]) -> str:
    if found := meant(key, where, root):
        return f"Did you mean `{found}`?"
    return f"Remove it. Keys that are known here: {', '.join(keys_at(where, root))}."


def meant(key: str, where: Where, root: type[BaseModel]) -> str | None:
    """Return the key that an unknown one was probably meant to be."""
    known = keys_at(where, root)
    other = _OTHER_NAMES.get(key.lower().replace("-", "_"))
    if other in known:
        return other
    return next(iter(difflib.get_close_matches(key.lower().replace("-", "_"), known, n=1, cutoff=0.6)), None)


def keys_at(where: Sequence[Step], root: type[BaseModel]) -> list[str]:
    """Return the keys that may stand at a place."""
    here: Any = root
    for step in where:
        if isinstance(step, int):
            here = _first_model(get_args(here)) if get_origin(here) is list else None
        elif isinstance(here, type) and issubclass(here, BaseModel) and step in here.model_fields:
            here = _inner(here.model_fields[step].annotation)
        elif get_origin(here) is dict:
            here = _first_model(get_args(here)[1:])
        else:
            return []
    return list(here.model_fields) if isinstance(here, type) and issubclass(here, BaseModel) else []


def _inner(annotation: Any) -> Any:
    """Return what is inside of `X | None`; lists and mappings stay as they are."""
    options = [option for option in get_args(annotation) if option is not type(None)]
    is_container = get_origin(annotation) in {list, dict}
    return options[0] if options and not is_container else annotation


def _first_model(options: Sequence[Any]) -> Any:
    return next((option for option in options if isinstance(option, type) and issubclass(option, BaseModel)), None)
