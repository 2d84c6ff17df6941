"""Which test claims to prove which feature: marks of pytest and tags of Playwright, as the sources have them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from installer.testing.features import Feature, mistake
from installer.testing.results import KINDS, ROOT, On, Proof

LONG = "@long"  # of tests of Playwright that a suite of their own runs
TAG = re.compile(r"feature-(\d+[a-z]?)")
TAGS = re.compile(r"""\btag:\s*(\[[^\]]*\]|"[^"]*")""")
TEST = re.compile(r"""^[ \t]*test(?P<group>\.describe)?\(\s*"(?P<title>(?:[^"\\\n]|\\.)*)\"""", re.MULTILINE)
# What these drive is an installed cluster; all else is this machine, whatever stands in for the cluster there.
ON_A_CLUSTER = (
    "tests/system/",
    "tests/shapes/",
    "tests/resume/",
    "tests/load/",
    "tests/farewell/",
    "tests/e2e/cluster/",
)


@dataclass(frozen=True)
class Mark:
    """A feature or clause, on what it is proven, and the test that claims it: its file, `::` or ` > `, its name."""

    feature: str
    on: str
    test: str


def proofs(tags: Iterable[str]) -> list[Proof]:
    """Return what the tags of a test of Playwright claim."""
    names = {tag.removeprefix("@") for tag in tags}
    on: On = next((kind for kind in KINDS[1:] if kind in names), KINDS[0])
    return [Proof(feature=found[1], on=on) for name in sorted(names) if (found := TAG.fullmatch(name))]


def collected(root: Path = ROOT) -> list[Mark]:
    """Return all marks below `tests`, sorted. Raises ValueError for one that cannot be read without running it."""
    tests = root / "tests"
    found: list[Mark] = []
    for path in tests.rglob("*.py"):
        found += _of_pytest(path.read_text("utf-8"), path.relative_to(root).as_posix())
    for path in tests.rglob("*.spec.ts"):
        if "node_modules" not in path.parts:
            found += of_playwright(path.read_text("utf-8"), path.relative_to(root).as_posix())
    return sorted(found, key=lambda mark: (mark.feature, mark.test))


def _of_pytest(text: str, file: str) -> list[Mark]:
    return list(of_pytest(text, file)) if "mark.feature" in text else []


def of_pytest(text: str, file: str) -> Iterator[Mark]:
    """Yield the marks of a file of pytest: decorators of its functions and of its classes' methods.

    Raises ValueError for one elsewhere, and for one of a test that not every run tries.
    """
    tree = ast.parse(text)
    seen: set[ast.AST] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        long = any(ast.unparse(decorator) == "pytest.mark.long" for decorator in node.decorator_list)
        for call in node.decorator_list:
            if isinstance(call, ast.Call) and _names_a_feature(call.func):
                seen.add(call.func)
                if long:
                    raise ValueError(
                        f"{file}::{node.name}: what proves a feature is tried in every run: it is not long"
                    )
                yield from _marks(call, f"{file}::{node.name}")
    for node in ast.walk(tree):
        if _names_a_feature(node) and node not in seen:
            raise ValueError(
                f"{file}:{getattr(node, 'lineno', 0)}: a feature is marked at the test itself, by decorator"
            )


def _names_a_feature(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "feature"
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "mark"
    )


def _marks(call: ast.Call, test: str) -> Iterator[Mark]:
    on = KINDS[0] if not call.keywords else str(ast.literal_eval(call.keywords[0].value))
    for argument in call.args:
        yield Mark(str(ast.literal_eval(argument)), on, test)


def of_playwright(text: str, file: str) -> list[Mark]:
    """Return the marks of a file of Playwright. Raises ValueError for a tag that no test with a plain title has."""
    found: list[Mark] = []
    for tags in TAGS.finditer(text):
        before = [test for test in TEST.finditer(text) if test.start() < tags.start()]
        if not before or before[-1]["group"]:
            raise ValueError(f"{file}: {tags[0]}: a feature is marked at the test itself, which has a plain title")
        names = re.findall(r'"([^"]*)"', tags[1])
        if LONG in names and proofs(names):
            raise ValueError(f"{file}: {tags[0]}: what proves a feature is tried in every run, so it is not {LONG}")
        found += [Mark(proof.feature, proof.on, f"{file} > {before[-1]['title']}") for proof in proofs(names)]
    if len(found) != text.count("@feature-"):
        raise ValueError(f"{file}: a tag @feature-… is not read: it is no list of plain texts, or no feature")
    return found


def mistakes(marks: list[Mark], features: list[Feature]) -> list[str]:
    """Return what is wrong with marks, a line each: what they name, or what they say that it is proven on."""
    told: list[str] = []
    for mark in marks:
        wrong = mistake(mark.feature, features)
        if mark.on not in KINDS:
            wrong = f"`{mark.on}` is none of {', '.join(KINDS)}"
        elif mark.on in ("real", "simulated") and not mark.test.startswith(ON_A_CLUSTER):
            wrong = f"`{mark.on}` is proven on an installed cluster: here it is `local`, or `protocol`"
        elif mark.on == "local" and mark.test.startswith(ON_A_CLUSTER):
            wrong = "`local` is what needs no cluster"
        if wrong:
            told.append(f"{mark.test}: {wrong}")
    return told
