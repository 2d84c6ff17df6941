"""The table of commands.yaml: what is done with each command of the docs."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from tests.docs.grammar import names_of
from tests.docs.reading import PAGES, ROOT, commands_of, is_placeholder, words

FILE = Path(__file__).with_name("commands.yaml")


class Row(BaseModel):
    """One command: run by a test of this table, by another test, or not, with the reason.

    A run is right with one of the exit codes `ends`, if what it prints fits `says`, and what it `leaves` in files fits,
    too (regular expressions). In the lab it is typed `at` the control host or a node, with each placeholder of `where`
    replaced; one that goes on for ever is ended after `seconds`.
    """

    model_config = ConfigDict(extra="forbid")

    run: Literal["fast", "lab"] | None = None
    by: str | None = None
    not_: str | None = Field(default=None, alias="not")
    says: str | None = None
    ends: tuple[int, ...] = (0,)
    at: Literal["control", "master1", "worker1", "storage1"] = "control"
    leaves: dict[str, str] = Field(default_factory=dict)
    seconds: int | None = None
    where: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _one_of_three(self) -> Self:
        if sum(each is not None for each in (self.run, self.by, self.not_)) != 1:
            raise ValueError("a row has one of `run`, `by` and `not`")
        if (self.says is not None) != (self.run is not None):
            raise ValueError("a row with `run`, and no other, says what is printed")
        if self.not_ is not None and len(self.not_) < 15:
            raise ValueError("why not is said in words")
        return self

    def typed(self, command: str) -> str:
        """The command with its placeholders replaced."""
        for name, value in self.where.items():
            command = re.sub(rf"\b{re.escape(name)}\b", value.replace("\\", r"\\"), command)
        return command


@cache
def rows() -> dict[str, Row]:
    """The table, by command as the docs have it."""
    return {command: Row.model_validate(row) for command, row in yaml.safe_load(FILE.read_text("utf-8")).items()}


def run(kind: str) -> list[str]:
    """The commands that are run so, in the order of the table."""
    return [command for command, row in rows().items() if row.run == kind]


@cache
def places() -> dict[str, list[str]]:
    """Every command of the docs with where it stands."""
    found: dict[str, list[str]] = {}
    for page in PAGES:
        for said in commands_of(page):
            found.setdefault(said.command, []).append(said.where)
    return found


def lacking(command: str, test: str) -> set[str]:
    """The command's words that a test (`tests/x/test_y.py::test_z`) has not; the test itself where it is not there."""
    name, _, title = test.partition("::")
    path = ROOT / name
    text = path.read_text("utf-8") if path.is_file() else ""
    if not title or title not in text:
        return {test}
    if path.suffix == ".py":
        literals = _literals(text, title)
        if literals is None:
            return {test}
        text = "\n".join(literals)
    there = _split(text)
    wanted = {word for part in words(command) for each in names_of(part) for word in _split(each)}
    return {word for word in wanted - there if not is_placeholder(word)}


def _split(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z0-9_-]+", text))


def _literals(text: str, title: str) -> list[str] | None:
    """The texts in a test's code and in what it calls of its own file; None where there is no such function."""
    tree = ast.parse(text)
    remarks = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings do nothing
    known: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            known[node.name] = node
        elif isinstance(node, ast.Assign):
            known.update({target.id: node for target in node.targets if isinstance(target, ast.Name)})
    if not isinstance(known.get(title), ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    found: list[str] = []
    seen: set[str] = set()
    waiting = [title]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in known:
            continue
        seen.add(name)
        for part in ast.walk(known[name]):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and id(part) not in remarks:
                found.append(part.value)
            elif isinstance(part, ast.Name):
                waiting.append(part.id)
            elif isinstance(part, ast.arg):
                waiting.append(part.arg)
    return found
