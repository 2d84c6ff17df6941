"""What is made of the sections: `python -m installer.cluster.declared` writes it, a test fails when it differs.

The shipped defaults (group_vars/), the sections of cluster.example.yaml, and of each role's `argument_specs.yml` the
options that are keys of cluster.yaml or facts of the inventory. What only a role knows of (its verbs, its own options)
is written there by hand and kept.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from installer.cluster.defaults import section_models, shipped
from installer.cluster.places import EXAMPLE, TREE
from installer.cluster.sections import unused_because
from installer.cluster.values import AbsolutePath

GROUP_VARS = TREE / "group_vars"
ROLES = TREE / "roles"
MARK = (
    "# From here on made by `python -m installer.cluster.declared` of installer/cluster/sections.py: "
    "every key with its default.\n"
)
COMMENT_COLUMN = 32
LONGEST_LINE = 138
# Its values in the example are smaller than the shipped ones, so it is written by hand.
_BY_HAND = "resource_limit"
# Facts about the cluster that the inventory emits for all hosts, and roles take as they are.
FACTS: dict[str, dict[str, Any]] = {
    "atoll_node": {
        "type": "dict",
        "description": "The node: name, address, roles, arch, accelerators, data disks, labels.",
    },
    "atoll_masters": {"type": "list", "elements": "dict", "description": "Names and addresses of the masters."},
    "atoll_registry_hosts": {
        "type": "list",
        "elements": "dict",
        "description": "Names and addresses of the nodes with a registry.",
    },
    "atoll_storage_hosts": {
        "type": "list",
        "elements": "dict",
        "description": "Names and addresses of the storage nodes.",
    },
    "atoll_portal_address": {"type": "str", "description": "The address at which the portal answers."},
    "atoll_device_types": {
        "type": "list",
        "elements": "dict",
        "description": "What services have to know of the device types that occur.",
    },
    "atoll_card_labels": {
        "type": "dict",
        "description": "Labels of nodes for their cards: owned prefixes, and which Atoll sets by driver and type.",
    },
    "atoll_card_plugins": {
        "type": "dict",
        "description": "What the device plugins of the bundle are told, by driver and device type.",
    },
    "atoll_resource_limit": {"type": "dict", "description": "Limits of pods of tasks per device type that occurs."},
    "atoll_ways_in": {"type": "dict", "description": "Ways to sign in by others, as the services are told them."},
    "atoll_ways_in_files": {
        "type": "dict",
        "description": "Files on the control host with what these ways need, by their names among the API's secrets.",
    },
    "atoll_providers": {
        "type": "dict",
        "description": "The networks and ports outside of the cluster that the API may ask who somebody is.",
    },
}
_TYPES = {str: "str", int: "int", float: "float", bool: "bool"}


class _Dumper(yaml.SafeDumper):
    """Indents lists below their key, as yamllint wants it."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002 - PyYAML's own name
        super().increase_indent(flow, False)


def files() -> dict[Path, str]:
    """Return every file that is made, with its content."""
    made = {GROUP_VARS / f"{name}.yml": group_vars(name) for name in section_models()}
    made[EXAMPLE] = example(EXAMPLE.read_text(encoding="utf-8"))
    for file in sorted(ROLES.glob("*/meta/argument_specs.yml")):
        made[file] = argument_specs(file)
    return made


def group_vars(section: str) -> str:
    """Return the file of a section's defaults."""
    model = section_models()[section]
    return f"---\n# {_meaning(model)}\n{section}:\n" + "\n".join(_lines(shipped()[section], 2)) + "\n"


def example(text: str) -> str:
    """Return the example with all sections made anew below the mark."""
    head = text.partition(MARK)[0]
    blocks = [_example_section(name, model) for name, model in section_models().items() if name != _BY_HAND]
    return head + MARK + "\n" + "\n".join(blocks)


def _example_section(section: str, model: type[BaseModel]) -> str:
    lines = [f"# {_meaning(model)}", f"{section}:", *_commented(shipped()[section], model, 2)]
    return "\n".join(lines) + "\n"


def _commented(content: dict[str, Any], model: type[BaseModel], indent: int) -> Iterator[str]:
    for key, value in content.items():
        field = model.model_fields[key]
        lines = list(_lines({key: value}, indent))
        inner = _model_of(field.annotation)
        if inner is not None and isinstance(value, dict) and value:
            yield _with(f"{' ' * indent}{key}:", _comment(field))
            yield from _commented(value, inner, indent + 2)
        elif inner is not None and isinstance(value, list) and value:
            yield _with(f"{' ' * indent}{key}:", _comment(field))
            for item in value:
                first, *more = _commented(item, inner, indent + 4)
                yield f"{first[: indent + 2]}- {first[indent + 4 :]}"
                yield from more
        else:
            yield _with(lines[0], _comment(field))
            yield from lines[1:]


def _with(line: str, comment: str) -> str:
    if not comment:
        return line
    gap = " " * max(COMMENT_COLUMN - len(line), 1)
    whole = f"{line}{gap}# {comment}"
    if len(whole) <= LONGEST_LINE:
        return whole
    indent = " " * (len(line) - len(line.lstrip()))
    return "\n".join([f"{indent}# {part}" for part in textwrap.wrap(comment, LONGEST_LINE - len(indent) - 2)] + [line])


def _comment(field: FieldInfo) -> str:
    said = field.description or ""
    choices = [str(choice) for choice in _choices(field.annotation)]
    if choices and not all(choice in said for choice in choices):
        listed = f"{', '.join(choices[:-1])} or {choices[-1]}"
        said = f"{said}: {listed}" if said else listed
    if unused_because(field):
        said = f"{said}; not used by this version"
    if field.examples:
        said = f"{said}, like {_flow(field.examples[0])}"
    return said


def _lines(content: dict[str, Any], indent: int) -> Iterator[str]:
    for key, value in content.items():
        start = " " * indent + f"{key}:"
        if isinstance(value, dict) and any(isinstance(inner, dict) for inner in value.values()):
            yield start
            yield from _lines(value, indent + 2)
        elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
            yield start
            yield from (f"{' ' * (indent + 2)}- {_flow(item)}" for item in value)
        else:
            yield f"{start} {_flow(value)}"


def _flow(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6, allow_unicode=True, sort_keys=False)
    return text.removesuffix("\n").removesuffix("\n...")


def _meaning(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split("\n\n")[0].split())


def argument_specs(file: Path) -> str:
    """Return a role's specification: what is written by hand, and what it uses of cluster.yaml and the inventory."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    main = content["argument_specs"]["main"]
    known = variables()
    own = {name: option for name, option in main["options"].items() if name not in known}
    words = set(re.findall(r"\b[a-z]+_[a-z_]+\b", _texts(file.parent.parent)))
    main["options"] = own | {name: option for name, option in known.items() if name in words}
    text = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=118)
    return f"---\n{text}"


def _texts(role: Path) -> str:
    folders = ("tasks", "templates", "vars", "defaults", "handlers")
    return "\n".join(
        file.read_text(encoding="utf-8")
        for folder in folders
        for file in sorted((role / folder).rglob("*"))
        if file.is_file()
    )


def variables() -> dict[str, dict[str, Any]]:
    """Return the option of each variable that roles get of cluster.yaml."""
    made = {name: {**option, "required": True} for name, option in FACTS.items()}
    for section, model in section_models().items():
        if section != _BY_HAND:
            made |= {f"{section}_{key}": option(field) for key, field in model.model_fields.items()}
    return made


def option(field: FieldInfo, emitted: bool = True) -> dict[str, Any]:
    """Return a field as Ansible describes an option; the inventory emits each key of a section, if need be as null."""
    may_be_null, kind = _without_none(field.annotation, field)
    made = _type(kind)
    if not may_be_null and (emitted or field.is_required()):
        made["required"] = True
    if field.description:
        made["description"] = f"{field.description}."
    return made


def _type(annotation: Any) -> dict[str, Any]:
    if get_origin(annotation) is Annotated:
        return {"type": "path"} if annotation == AbsolutePath else _type(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return {"type": "str", "choices": list(get_args(annotation))}
    if get_origin(annotation) is list:
        inner = _type(get_args(annotation)[0])
        return {"type": "list", "elements": inner.pop("type"), **inner}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {
            "type": "dict",
            "options": {key: option(field, False) for key, field in annotation.model_fields.items()},
        }
    if get_origin(annotation) is dict:
        return {"type": "dict"}
    return {"type": _TYPES[annotation]}


def _without_none(annotation: Any, field: FieldInfo) -> tuple[bool, Any]:
    if get_origin(annotation) in (Union, UnionType):
        (kind,) = [one for one in get_args(annotation) if one is not NoneType]
        return True, kind
    # pydantic takes `Annotated[str, …]` apart; put together again it can be compared.
    return False, Annotated[annotation, *field.metadata] if field.metadata else annotation


def _choices(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _model_of(annotation: Any) -> type[BaseModel] | None:
    options = (annotation, *get_args(annotation))
    return next((one for one in options if isinstance(one, type) and issubclass(one, BaseModel)), None)


def main() -> None:
    """Write every file."""
    for file, text in files().items():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
