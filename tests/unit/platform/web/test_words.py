"""Every declared code is used, named by a manifest, and has words in every language of the portal. Needs nothing.

That nothing but a declared code can be told is a matter of types: `test_codes.py`.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from atoll.api.domains import DOMAINS
from atoll.api.openapi import CONTRACT
from atoll.api.words import LANGUAGES, TRANSLATIONS, CodeDeclaredTwice, ForeignWords, differences, made, words
from atoll.control.client import TOLD
from atoll.homes import client as homes_client
from atoll.homes import codes as homes_codes
from atoll.homes.codes import NoSuchFile
from atoll.web.codes import Code, ProblemCode
from atoll.web.domain import Domain
from atoll.web.errors import CHECKS, field_errors
from atoll.web.schema import Schema
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError

from installer.control.problems import SHOWN

PLATFORM = Path(__file__).parents[4] / "platform"


def declared() -> set[type[Code]]:
    """Every code of the platform that has words."""

    def below(kind: type[Code]) -> Iterator[type[Code]]:
        for child in kind.__subclasses__():
            yield child
            yield from below(child)

    return {kind for kind in below(Code) if kind.__module__.startswith("atoll.") and kind.texts()}


def used(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What a file uses of modules that it imports: `(module, name)`."""
    modules, names = {}, {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                modules[each.asname or each.name] = f"{node.module}.{each.name}"
                names[each.asname or each.name] = (node.module, each.name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr
        elif isinstance(node, ast.Name) and node.id in names:
            yield names[node.id]


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


def test_every_declared_code_is_named_by_the_manifest_of_its_own_domain() -> None:
    named = {code: domain.name for domain in DOMAINS for code in domain.codes}
    assert declared() == named.keys()
    strays = {code for code, domain in named.items() if code.__module__.split(".")[1] not in (domain, "web")}
    assert not strays


def test_every_refusal_says_what_to_do() -> None:
    silent = sorted(code.code for code in declared() if issubclass(code, ProblemCode) and not code.remedy)
    assert silent == [], "who is refused is left alone with it; a remedy says what to do"


def test_every_declared_code_is_used() -> None:
    found = {each for path in (PLATFORM / "atoll").rglob("*.py") for each in used(ast.parse(path.read_text()))}
    idle = {code for code in declared() if (code.__module__, code.__name__) not in found}
    gateway = (PLATFORM.parent / "roles/platform/templates/gateway.conf.j2").read_text()
    assert {code for code in idle if f'"code":"{code.code}"' not in gateway} == set()


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_has_the_same_keys_and_needs_the_same_parameters(language: str) -> None:
    assert differences(words(), words(language)) == []


@pytest.mark.parametrize(
    ("translated", "told"),
    [
        ({"reason": {"stopped": "停"}}, ["reason.left has no words"]),
        ({"reason": {"stopped": "停", "left": "{{user}}", "more": "?"}}, ["reason.more is no code"]),
        ({"reason": {"stopped": "停", "left": "有人"}}, ["reason.left names [], the English words ['user']"]),
        (
            {"reason": {"stopped": "{{user}} 停", "left": "{{user}}"}},
            ["reason.stopped names ['user'], the English words []"],
        ),
    ],
)
def test_a_translation_that_lacks_a_key_or_a_parameter_is_named(translated: dict[str, Any], told: list[str]) -> None:
    english = {"reason": {"stopped": "It was stopped.", "left": "{{user}} left it."}}
    assert differences(english, translated) == told


@pytest.mark.parametrize(
    ("keyword", "code", "parameter"),
    [
        ("maxLength", "string_too_long", "max_length"),
        ("minLength", "string_too_short", None),
        ("pattern", "string_pattern_mismatch", None),
        ("minimum", "greater_than_equal", "ge"),
        ("maximum", "less_than_equal", "le"),
        ("maxItems", "too_long", "max_length"),
        ("minItems", "too_short", "min_length"),
        ("enum", "literal_error", "expected"),
        ("required", "missing", None),
    ],
)
def test_what_the_schemas_of_requests_check_has_a_code(keyword: str, code: str, parameter: str | None) -> None:
    assert CHECKS[code].parameters() == ({parameter} if parameter else set())
    assert f'"{keyword}"' in CONTRACT.read_text()


def test_a_check_that_no_code_is_for_is_told_in_its_own_words() -> None:
    class Asked(Schema):
        nodes: int
        name: str = Field(max_length=3)

    with pytest.raises(ValidationError) as refused:
        Asked.model_validate({"nodes": "many", "name": "long", "more": 1})
    found = field_errors(RequestValidationError(refused.value.errors()))
    assert [(each.field, each.code, each.params) for each in found] == [
        ("nodes", "invalid_value", {"why": "Input should be a valid integer, unable to parse string as an integer"}),
        ("name", "string_too_long", {"max_length": 3}),
        ("more", "extra_forbidden", {}),
    ]


def test_what_the_control_service_tells_people_is_declared_with_its_parameters() -> None:
    shown = {kind.code: kind.params | {"detail"} for kind in SHOWN}
    assert shown.keys() == {kind.code for kind in TOLD}
    for kind in TOLD:
        assert kind.parameters() in (shown[kind.code] - {"detail"}, {"detail"}), kind


def test_what_files_tells_is_what_its_client_knows() -> None:
    trees = [ast.parse(path.read_text()) for path in (PLATFORM / "atoll/files").glob("*.py")]
    told = {
        getattr(homes_codes, name) for tree in trees for module, name in used(tree) if module == homes_codes.__name__
    }
    assert told == set(homes_client.TOLD)
