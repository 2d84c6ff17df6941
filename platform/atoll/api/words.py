"""The portal's English words for codes: writes `codes.en.gen.json` (`--check` only compares).

Run with PYTHONPATH=platform. Translations have the same keys with the same parameters; a test holds them against it.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from atoll.api.domains import DOMAINS
from atoll.web.codes import Code, FieldCode, ProblemCode, ReasonCode

WORDS = Path(__file__).resolve().parents[2] / "portal/src/locales/codes.en.gen.json"
TABLES: dict[type[Code], str] = {ProblemCode: "problem", ReasonCode: "reason", FieldCode: "field_error"}


class CodeDeclaredTwice(Exception):
    """Two domains declare one code in one table."""


def words() -> dict[str, dict[str, Any]]:
    """What is shown for each code, as i18next reads it. Raises CodeDeclaredTwice."""
    found: dict[str, dict[str, Any]] = {name: {} for name in TABLES.values()}
    for domain in DOMAINS:
        for code in domain.codes:
            table = found[next(name for kind, name in TABLES.items() if issubclass(code, kind))]
            if code.code in table:
                raise CodeDeclaredTwice(f"{domain.name}: `{code.code}` is another domain's or declared twice")
            for place, text in code.texts().items():
                _put(table, code.code + place, re.sub(r"{(\w+)}", r"{{\1}}", text))
    return found


def _put(table: dict[str, Any], key: str, text: str) -> None:
    name, _, place = key.partition(".")
    if place:
        table.setdefault(name, {})[place] = text
    else:
        table[name] = text


def _main(arguments: list[str]) -> int:
    text = json.dumps(words(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    if "--check" in arguments:
        same = WORDS.exists() and WORDS.read_text(encoding="utf-8") == text
        if not same:
            sys.stderr.write(f"{WORDS}: differs from the code; run `python -m atoll.api.words` and commit it\n")
        return 0 if same else 1
    WORDS.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
