"""The portal's words for codes: writes `codes.<language>.gen.json` there (`--check` only compares).

Run with PYTHONPATH=platform. The English is declared with the codes, every other language lies beside them:
`<room>/codes.<language>.json`, with the same keys and parameters; a test holds them against each other. What is done
and audited is in the table `action`: its English stands in the manifests.
"""

import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import atoll
from atoll.api.domains import DOMAINS
from atoll.web.codes import Code, FieldCode, ProblemCode, ReasonCode
from atoll.web.domain import Domain

LOCALES = Path(__file__).resolve().parents[2] / "portal/src/locales"
PLATFORM = Path(atoll.__file__).parent
TRANSLATIONS = ("zh-CN",)
LANGUAGES = ("en", *TRANSLATIONS)
TABLES: dict[type[Code], str] = {ProblemCode: "problem", ReasonCode: "reason", FieldCode: "field_error"}
ACTION = "action"
NAMES = (*TABLES.values(), ACTION)
_PLACE = re.compile(r"{{(\w+)}}")


class CodeDeclaredTwice(Exception):
    """Two domains declare one code, or one action, in one table."""


class ForeignWords(Exception):
    """A room has words for a code that it does not declare."""


def made(language: str) -> Path:
    """The file that the portal reads."""
    return LOCALES / f"codes.{language}.gen.json"


def words(language: str = "en") -> dict[str, dict[str, Any]]:
    """What is shown for each code, as i18next reads it. Raises CodeDeclaredTwice, ForeignWords."""
    english, rooms = _english()
    return english if language == "en" else _translated(language, rooms)


def _english() -> tuple[dict[str, dict[str, Any]], dict[tuple[str, str], Path]]:
    """The words as they are declared, and the folder in which each code is."""
    found: dict[str, dict[str, Any]] = {name: {} for name in NAMES}
    rooms: dict[tuple[str, str], Path] = {}
    taken: set[tuple[str, str]] = set()

    def take(domain: Domain, name: str, key: str, text: str) -> None:
        if (name, key) in taken:
            raise CodeDeclaredTwice(f"{domain.name}: `{key}` is another domain's or declared twice")
        taken.add((name, key))
        _put(found[name], key, text)

    for domain in DOMAINS:
        for code in domain.codes:
            name = next(name for kind, name in TABLES.items() if issubclass(code, kind))
            for place, text in code.texts().items():
                key = code.code + place
                take(domain, name, key, re.sub(r"{(\w+)}", r"{{\1}}", text))
                rooms[name, key.partition(".")[0]] = Path(inspect.getfile(code)).parent
        for action, text in domain.actions.items():
            take(domain, ACTION, action, text)
            rooms[ACTION, action] = PLATFORM / domain.name
    return found, rooms


def _translated(language: str, rooms: dict[tuple[str, str], Path]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {name: {} for name in NAMES}
    for room in sorted({*rooms.values()}):
        path = room / f"codes.{language}.json"
        kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for name, table in kept.items():
            if foreign := sorted(key for key in table if rooms.get((name, key)) != room):
                raise ForeignWords(f"{path}: codes.py beside it declares no {name} {', '.join(foreign)}")
            for key, told in table.items():
                _put(found[name], key, told)
    return found


def differences(english: dict[str, Any], translated: dict[str, Any]) -> list[str]:
    """What a translation lacks, has too much, or says with other parameters."""
    wanted, found = dict(_leaves(english)), dict(_leaves(translated))
    return [
        *(f"{key} has no words" for key in sorted(wanted.keys() - found.keys())),
        *(f"{key} is no code" for key in sorted(found.keys() - wanted.keys())),
        *(
            f"{key} names {sorted(_places(found[key]))}, the English words {sorted(_places(wanted[key]))}"
            for key in sorted(wanted.keys() & found.keys())
            if _places(found[key]) != _places(wanted[key])
        ),
    ]


def _places(text: str) -> frozenset[str]:
    return frozenset(_PLACE.findall(text))


def _leaves(told: Any, at: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(told, str):
        yield at, told
        return
    for key, value in told.items():
        yield from _leaves(value, f"{at}.{key}".lstrip("."))


def _put(table: dict[str, Any], key: str, told: Any) -> None:
    name, _, place = key.partition(".")
    if place:
        table.setdefault(name, {})[place] = told
    else:
        table[name] = told


def _main(arguments: list[str]) -> int:
    differing = 0
    for language in LANGUAGES:
        path = made(language)
        text = json.dumps(words(language), indent=2, ensure_ascii=False, sort_keys=True) + "\n"
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.stderr.write(f"{path}: differs from the code; run `python -m atoll.api.words` and commit it\n")
            differing = 1
    return differing


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
