"""Every code that the server can answer with has words in every language of the portal. Needs nothing.

Codes are read from the sources: whatever is called with a `code`, in the API and in the control service behind it.
"""

import ast
import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import pytest
from atoll.api.domains import DOMAINS
from atoll.api.openapi import CONTRACT
from atoll.api.words import LANGUAGES, TRANSLATIONS, CodeDeclaredTwice, ForeignWords, made, words
from atoll.engines import outcome
from atoll.engines.base import NodeObservation, ReplicaObservation
from atoll.homes.codes import NoSuchFile
from atoll.identity.service import WINDOW
from atoll.web import errors
from atoll.web.codes import Code
from atoll.web.domain import Domain

from installer.control.problems import ANSWERS

TREE = Path(__file__).parents[4]
ROOMS = ("platform/atoll", "installer/control")

# In which tables of the portal's words the code of a call is looked up, by the name of what is called.
TABLES: dict[str, tuple[str, ...]] = {
    "Reason": ("reason",),
    "Obstacle": ("reason", "field_error"),
    "_event": ("reason",),
    "FieldError": ("field_error",),
    "wrong": ("field_error",),
    "_wrong": ("field_error",),
    "_password_error": ("problem", "field_error"),
    "Problem": ("problem",),
    "_answer": ("problem",),
    **{
        name: ("problem",)
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.ApiError)
    },
}
# Codes that are put together: what the beginnings are followed by.
ENDINGS = {
    "node_": {*get_args(NodeObservation.model_fields["state"].annotation)} - {"ready"},
    "replica_": {*get_args(ReplicaObservation.model_fields["state"].annotation)},
}
# Pydantic's codes for what schemas of requests say, with what it tells beside them.
CHECKS = {
    "maxLength": ("string_too_long", "max_length"),
    "minLength": ("string_too_short", "min_length"),
    "pattern": ("string_pattern_mismatch", "pattern"),
    "minimum": ("greater_than_equal", "ge"),
    "maximum": ("less_than_equal", "le"),
    "maxItems": ("too_long", "max_length"),
    "minItems": ("too_short", "min_length"),
    "enum": ("enum", "expected"),
    "required": ("missing", None),
}


@dataclass(frozen=True)
class Told:
    """A code as one place in the sources tells it; `params` is None where they cannot be read from the source."""

    table: str
    code: str
    params: frozenset[str] | None
    where: str


@dataclass
class Callables:
    """What takes a `code`: at which position, None where it is named; and every function by file."""

    positions: dict[str, int | None] = field(default_factory=dict)
    defined: dict[tuple[Path, str], bool] = field(default_factory=dict)

    def add(self, path: Path, name: str, names: list[str] | None) -> None:
        has = names is not None and "code" in names
        self.defined[path, name] = has or self.defined.get((path, name), False)
        if names is not None and has and self.positions.get(name) is None:
            self.positions[name] = names.index("code")

    def takes(self, path: Path, name: str) -> bool:
        return self.defined.get((path, name), name in self.positions)


def sources() -> dict[Path, ast.Module]:
    every = (path for room in ROOMS for path in sorted((TREE / room).rglob("*.py")))
    return {path: ast.parse(path.read_text()) for path in every if path.name not in ("codes.py", "told.py")}


def callables(trees: dict[Path, ast.Module]) -> Callables:
    found = Callables()
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "__init__":
                found.add(path, node.name, _parameters(node))
            elif isinstance(node, ast.ClassDef):
                inits = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == "__init__"]
                fields = [
                    item.target.id
                    for item in node.body
                    if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
                ]
                if inits:
                    found.add(path, node.name, _parameters(inits[0]))
                elif "code" in fields and any("dataclass" in ast.unparse(each) for each in node.decorator_list):
                    found.add(path, node.name, fields)
                elif "code" in fields:
                    found.positions.setdefault(node.name, None)
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.ApiError):
            found.positions[name] = None  # most inherit how they are made
    return found


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str] | None:
    positional = [item.arg for item in node.args.args if item.arg not in ("self", "cls")]
    named = [item.arg for item in node.args.kwonlyargs]
    return positional if "code" in positional else [*positional, *named] if "code" in named else None


def _codes(value: ast.expr | None) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from (*_codes(one), *_codes(other))
        case ast.BoolOp(values=values):
            for each in values:
                yield from _codes(each)
        case ast.Call(func=ast.Attribute(attr="get"), args=[_, default]):
            yield from _codes(default)
        case ast.JoinedStr(values=[ast.Constant(value=str(beginning)), ast.FormattedValue()]):
            assert beginning in ENDINGS, f"say in ENDINGS which codes begin with `{beginning}`"
            yield from (beginning + ending for ending in ENDINGS[beginning])


def _params(call: ast.Call, name: str) -> frozenset[str] | None:
    if name in ("wrong", "_wrong"):
        names = [keyword.arg for keyword in call.keywords]
        return None if None in names else frozenset(str(each) for each in names) - {"field", "code", "message"}
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "params"), None)
    if given is None and name == "Obstacle":
        given = call.args[2]
    if given is None:
        return frozenset()
    if isinstance(given, ast.Dict):
        return frozenset(str(key.value) for key in given.keys if isinstance(key, ast.Constant))
    return None


@functools.cache
def told_codes() -> list[Told]:
    trees = sources()
    known = callables(trees)
    unknown = set(known.positions) - set(TABLES)
    assert not unknown, f"say in TABLES what the codes of {sorted(unknown)} are shown as"
    found = []
    for path, tree in trees.items():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Call | ast.Subscript) and any(each.arg == "code" for each in call.keywords):
                name = errors.ApiError.__name__  # one of several, chosen by a table
            else:
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if not known.takes(path, name):
                continue
            position = known.positions.get(name)
            value = next((keyword.value for keyword in call.keywords if keyword.arg == "code"), None)
            if value is None and position is not None and position < len(call.args):
                value = call.args[position]
            forever = any(keyword.arg == "forever" for keyword in call.keywords)
            for table in TABLES[name]:
                if name == "Obstacle" and table == "field_error" and not forever:
                    continue
                where = f"{path.relative_to(TREE)}:{call.lineno}"
                found += [Told(table, code, _params(call, name), where) for code in _codes(value)]
    return found


def fixed_codes() -> list[Told]:
    """Codes that stand in tables."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.ApiError)]
    problems = {kind.code for kind in kinds}
    problems |= {code for code, _ in errors._BY_STATUS.values()} | {"http_error"}
    return [
        *(Told("problem", code, frozenset(), "web/errors.py") for code in problems),
        *(Told("problem", code, frozenset(), "installer/control/problems.py") for _, code in ANSWERS.values()),
        *(Told("reason", code, frozenset(), "engines/outcome.py") for code in outcome._PROBLEMS),
    ]


def schema_codes() -> list[Told]:
    """What pydantic answers for bodies of requests that do not fit."""
    schemas = json.loads(CONTRACT.read_text())["components"]["schemas"]
    asked = {name for name in schemas if name.endswith(("Create", "Change", "SignIn"))} | {"Parameter", "Resources"}
    used = {key for name in asked for key in _keys(schemas[name])}
    return [
        Told("field_error", code, frozenset({param} if param else ()), f"openapi.json: {key}")
        for key, (code, param) in CHECKS.items()
        if key in used
    ]


def _keys(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            yield from _keys(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _keys(item)


def text(words: dict[str, Any], told: Told, ending: str = "") -> str | None:
    entry = words[told.table].get(told.code + ending)
    found = entry["title"] if isinstance(entry, dict) else entry
    return None if found is None else str(found)


def fits(words: str | None, params: frozenset[str] | None) -> bool:
    """Whether all that the words need is told; the portal always has the server's own `message`."""
    return words is not None and (params is None or {*re.findall(r"{{(\w+)}}", words)} <= params | {"message"})


def leaves(told: Any, at: str = "") -> dict[str, str]:
    """Every text by its place."""
    if isinstance(told, str):
        return {at: told}
    return {place: text for key, value in told.items() for place, text in leaves(value, f"{at}.{key}").items()}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_committed_words_are_those_of_the_declarations(language: str) -> None:
    assert json.loads(made(language).read_text()) == words(language), "run `python -m atoll.api.words`"


def test_words_of_a_code_that_lies_elsewhere_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    left = tuple(domain for domain in DOMAINS if domain.name != "homes")
    unnamed = Domain(name="homes", codes=(NoSuchFile,))
    monkeypatch.setattr("atoll.api.words.DOMAINS", (*left, unnamed))
    with pytest.raises(ForeignWords, match=r"homes/codes.zh-CN.json: codes.py beside it declares no"):
        words("zh-CN")


def test_a_code_that_two_domains_declare_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atoll.api.words.DOMAINS", (*DOMAINS, Domain(name="other", codes=(NoSuchFile,))))
    with pytest.raises(CodeDeclaredTwice, match="no_such_file"):
        words()


def test_every_declared_code_is_named_by_a_manifest() -> None:
    def below(kind: type[Code]) -> Iterator[type[Code]]:
        for child in kind.__subclasses__():
            yield child
            yield from below(child)

    declared = {kind for kind in below(Code) if kind.__module__.startswith("atoll.") and kind.code and kind.texts()}
    named = {code for domain in DOMAINS for code in domain.codes}
    assert {kind for kind in declared if kind.__module__ != "atoll.web.codes"} == named


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_the_same_keys_and_needs_the_same_parameters(language: str) -> None:
    english, translated = leaves(words()), leaves(words(language))
    assert english.keys() == translated.keys()
    places = re.compile(r"{{(\w+)}}")
    assert [key for key in english if {*places.findall(translated[key])} - {*places.findall(english[key])}] == []


def test_the_sources_tell_their_codes() -> None:
    found = {(told.table, told.code) for told in (*told_codes(), *fixed_codes(), *schema_codes())}
    assert {
        ("reason", "capacity_in_use"),  # one of two, by a condition
        ("reason", "replica_failed"),  # put together
        ("reason", "stop_requested"),  # handed on by a method
        ("reason", "code_directory_missing"),  # from a table
        ("field_error", "more_than_virtual_cluster_has"),
        ("field_error", "string_too_long"),
        ("problem", "idempotency_key_reused"),
        ("problem", "control_failed"),  # what stands in for a code
    } <= found
    assert ("field_error", "devices_in_use") not in found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_of_the_server_has_words(language: str) -> None:
    shown = words(language)
    silent, unfit = set(), set()
    for told in (*told_codes(), *fixed_codes(), *schema_codes()):
        name = f"{told.table}.{told.code}"
        if text(shown, told) is None:
            silent.add(f"{name} ({told.where})")
        elif not (fits(text(shown, told), told.params) or fits(text(shown, told, "_brief"), told.params)):
            unfit.add(f"{name} ({told.where} tells only {sorted(told.params or ())})")
    assert not silent, "without words:\n" + "\n".join(sorted(silent))
    assert not unfit, "words that need more than they are told:\n" + "\n".join(sorted(unfit))


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_guessed_too_often_is_told_how_long_that_counts(language: str) -> None:
    shown = words(language)
    remedy = shown["problem"]["too_many_attempts"]["remedy"]
    assert re.findall(r"\d+", remedy) == [str(int(WINDOW.total_seconds() // 60))]
