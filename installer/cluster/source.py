"""A YAML file as data that remembers its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from installer.cluster.mistakes import ClusterError, Mistake

Step = str | int
Where = tuple[Step, ...]
MOST_VALUES = 200_000  # some thousand nodes; a few lines of aliases can stand for billions


@dataclass
class Source:
    """The content of a file, the line of each key and list item, and what is wrong with it as YAML."""

    file: Path
    content: Any = None
    lines: dict[Where, int] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)

    def line(self, where: Sequence[Step]) -> int:
        """Return the line of a place, or of the nearest place around it that is in the file.

        What is wrong with a default that the file does not repeat is wrong because of its nodes.
        """
        place = tuple(where)
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place) or self.lines.get(("nodes",), 1)


def path_text(where: Sequence[Step]) -> str:
    """Write a place the way people do: `nodes[2].accelerators[0].type`."""
    text = ""
    for step in where:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def read(file: Path) -> Source:
    """Read a file. Raises ClusterError if there is nothing that one could go on with."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _stop(file, line, "this is not UTF-8 text.", "Save the file with the encoding UTF-8.") from error
    except OSError as error:
        remedy = "Name the file with -f FILE; cluster.example.yaml is a file to start from."
        raise _stop(file, 0, f"cannot be read: {error.strerror}.", remedy) from error
    return parse(text, file)


def parse(text: str, file: Path) -> Source:
    """Read the text of a file. Raises ClusterError if it is not YAML with keys at its top."""
    source = Source(file)
    try:
        loader = yaml.SafeLoader(text)
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        message = f"this is not YAML: character U+{ord(text[error.position]):04X} is not allowed."
        raise _stop(file, line, message, "Save the file as plain UTF-8 text.") from error
    try:
        root = loader.get_single_node()
        if root is not None:
            source.content = _build(loader, root, (), source)
    except RecursionError as error:
        message = (
            "this is nested without end: an alias (`*name`) inside its own anchor (`&name`), or too many brackets."
        )
        raise _stop(file, 1, message, "Write the items out; cluster.example.yaml shows their shape.") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        remedy = "Look at this line and the one above: indentation (spaces only), `key: value`, quotes and brackets."
        raise _stop(file, line, f"this is not YAML: {error.problem}.", remedy) from error
    except yaml.YAMLError as error:
        raise _stop(file, 1, f"this is not YAML: {error}.", "Save the file as plain UTF-8 text.") from error
    finally:
        loader.dispose()
    if not isinstance(source.content, dict):
        found = "empty" if root is None else "a list" if isinstance(source.content, list) else "a single value"
        remedy = "Write `name:` and `nodes:` at least; cluster.example.yaml explains every key."
        raise _stop(file, 1, f"a cluster.yaml has keys at its top, but this one is {found}.", remedy)
    return source


def _build(loader: yaml.SafeLoader, node: yaml.Node, where: Where, source: Source) -> Any:
    if isinstance(node, yaml.MappingNode):
        loader.flatten_mapping(node)
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = str(_value(loader, key_node))
            place = (*where, key)
            if key in found:
                source.mistakes.append(
                    Mistake(
                        key_node.start_mark.line + 1,
                        path_text(place),
                        f"`{path_text(place)}` is there twice, first in line {source.lines[place]}.",
                        "Keep one of them.",
                    )
                )
            _keep(source, place, key_node)
            found[key] = _build(loader, value_node, place, source)
        return found
    if isinstance(node, yaml.SequenceNode):
        items = []
        for index, item in enumerate(node.value):
            place = (*where, index)
            _keep(source, place, item)
            items.append(_build(loader, item, place, source))
        return items
    return _value(loader, node)


def _keep(source: Source, place: Where, node: yaml.Node) -> None:
    source.lines[place] = node.start_mark.line + 1
    if len(source.lines) > MOST_VALUES:
        message = f"aliases make more than {MOST_VALUES} values of it"
        raise yaml.constructor.ConstructorError(None, None, message, node.start_mark)


def _value(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
    try:
        return loader.construct_object(node, deep=True)
    except ValueError as error:  # what looks like a date or a number and is none: 2026-13-45
        raise yaml.constructor.ConstructorError(None, None, f"{error}", node.start_mark) from error


def _stop(file: Path, line: int, message: str, remedy: str) -> ClusterError:
    return ClusterError(file, [Mistake(line, "", message, remedy)])
