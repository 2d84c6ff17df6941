"""Each way of breaking code, and what is left alone."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from installer.testing.mutation.mutants import of_room, sample
from installer.testing.mutation.operators import changes
from installer.testing.mutation.rooms import ROOMS
from installer.testing.results import ROOT


def changed(text: str, operator: str = "") -> list[str]:
    return [change.apply(text) for change in changes(text) if operator in ("", change.operator)]


@pytest.mark.parametrize(
    ("operator", "text", "becomes"),
    [
        ("comparison", "a < b", ["a <= b"]),
        ("comparison", "a <= b < c", ["a < b < c", "a <= b <= c"]),
        ("comparison", "a > b >= c", ["a >= b >= c", "a > b > c"]),
        ("comparison", "a == b", ["a != b"]),
        ("comparison", "a != b", ["a == b"]),
        ("comparison", "a in b", ["a not in b"]),
        ("comparison", "a  not  in b", ["a  in b"]),
        ("comparison", "a is b", ["a is not b"]),
        ("comparison", "(a) is not(b)", ["(a) is(b)"]),
        ("and/or", "a and b and c", ["a or b and c", "a and b or c"]),
        ("and/or", "(a or\n b)", ["(a and\n b)"]),
        ("not removed", "not (a and b)", ["(a and b)"]),
        ("condition", "if a == 1:\n    b", ["if False:\n    b", "if True:\n    b"]),
        ("condition", "b if (a) else c", ["b if (False) else c", "b if (True) else c"]),
        ("condition", "[a for a in b if a]", ["[a for a in b if False]", "[a for a in b if True]"]),
        ("integer", "a = 7", ["a = 6", "a = 8"]),
        ("integer", "a = 0", ["a = -1", "a = 1"]),
        ("integer", "a = 0o644", ["a = 0o643", "a = 0o645"]),
        ("boolean", "a(b=True)", ["a(b=False)"]),
        ("plus/minus", "a + b - c", ["a - b - c", "a + b + c"]),
        ("plus/minus", "a += b", ["a -= b"]),
        ("word left out", 'a = {"b", "c"}', ['a = {"b"}', 'a = {"c"}']),
        ("word left out", 'a = ("b", "c")', ['a = ("b",)', 'a = ("c",)']),
        ("word left out", 'a = "b", "c", "d"', ['a = "b", "c"', 'a = "b", "d"', 'a = "c", "d"']),
        ("word left out", "a = {\n 'b',\n 'c',\n}", ["a = {\n 'c',\n}", "a = {\n 'b',\n}"]),
        ("entry left out", 'a = {"b": 1 < 2, "c": (d)}', ['a = {"c": (d)}', 'a = {"b": 1 < 2}']),
        ("entry left out", "a = {\n 'b': (c),\n 'd': e,\n}", ["a = {\n 'd': e,\n}", "a = {\n 'b': (c),\n}"]),
        ("entry left out", "a = {'b': c}", []),
        ("entry left out", "a = {'type': 'str', 'required': b}", ["a = {'type': 'str'}"]),
        ("entry left out", "a = {**b, 'c': d}", []),
        ("opposite", "any(a)", ["all(a)"]),
        ("opposite", "min(a, max(b))", ["max(a, max(b))", "min(a, min(b))"]),
        ("order dropped", "sorted(a, key=b)", ["list(a)"]),
        ("order dropped", "reversed(a)", ["list(a)"]),
        ("word changed", 'a == "b"', ["a == 'b-changed'"]),
        ("word changed", "a['b'].get('c')", ["a['b-changed'].get('c')", "a['b'].get('c-changed')"]),
        ("word changed", 'a["b"] = c', []),
        ("word changed", 'match a:\n    case "b":\n        c', ["match a:\n    case 'b-changed':\n        c"]),
        ("return value dropped", "def a():\n    return (\n  b\n  )", ["def a():\n    return (\n  None\n  )"]),
        ("statement removed", "def a():\n    return", ["def a():\n    pass"]),
        ("statement removed", "if a:\n    raise B(\n        c\n    )", ["if a:\n    pass"]),
        ("statement removed", "a(); b.c = d", ["pass; b.c = d", "a(); pass"]),
        ("statement removed", "del a[b]", ["pass"]),
        ("statement removed", "for a in b:\n    continue", ["for a in b:\n    pass"]),
        ("statement removed", "a += b", ["pass"]),
    ],
)  # fmt: skip
def test_one_place_is_changed_and_the_rest_stays(operator: str, text: str, becomes: list[str]) -> None:
    assert sorted(changed(text, operator)) == sorted(becomes)


@pytest.mark.parametrize(
    "text",
    [
        '"""No < more."""',
        "def a(b: Literal['c', 'd'], e: Tuple[int, 3] = f) -> G[1]:\n    ...",
        "a: dict[str, 1] = b",
        "Kind = Literal['a', 'b']",
        '__all__ = ("a", "b")',
        'log.warning("%s", a + 1)',
        'warnings.warn("a", stacklevel=2)',
        "a = f'{b + 1} of {c < 2}'",
        "run_timeout_s = 60",
        "def a(b, timeout_s=60, *, timeout=30):\n    ...",
        "a = run(b, timeout=5)",
        "a = zip(b, c, strict=True)",
        "@dataclass(frozen=True)\nclass A:\n    ...",
        "if TYPE_CHECKING:\n    a = 1",
        'if __name__ == "__main__":\n    main()',
        "import a",
        'a = "b" + c',
        "if b := a:\n    ...",
        "a = {'type': 'str'}",
    ],
)
def test_what_no_test_should_hold_is_left_alone(text: str) -> None:
    assert changed(text) == []


def test_defaults_beside_one_that_says_how_long_are_not_left_alone() -> None:
    assert changed("def a(b=1, timeout=5, *, c=True): ...") == [
        "def a(b=0, timeout=5, *, c=True): ...",
        "def a(b=2, timeout=5, *, c=True): ...",
        "def a(b=1, timeout=5, *, c=False): ...",
    ]


def test_letters_that_take_more_bytes_move_no_span() -> None:
    assert changed('a = "äöü€", b < c') == ['a = "äöü€", b <= c']


def test_a_change_knows_in_what_it_stands() -> None:
    (change,) = changes("class A:\n    async def b(self):\n        def c():\n            d()\n")
    assert change.scope == "A.b.c"


def test_every_mutant_of_a_room_can_be_parsed_and_is_known_by_a_name_of_its_own(tmp_path: Path) -> None:
    (room,) = (room for room in ROOMS if room.name == "checks")
    mutants = of_room(ROOT, room)
    assert len({mutant.id for mutant in mutants}) == len(mutants) > 100
    for mutant in sample(mutants, "any", 40):
        target = tmp_path / mutant.file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / mutant.file).read_bytes())
        mutant.apply(tmp_path)
        text = target.read_text("utf-8")
        ast.parse(text)
        assert text != (ROOT / mutant.file).read_text("utf-8")
        assert mutant.before != mutant.after


def test_every_room_has_its_files_and_its_tests() -> None:
    for room in ROOMS:
        assert list(room.files(ROOT)), room.name
        for path in (*room.sources, *(test.removeprefix("--ignore=") for test in room.tests)):
            assert (ROOT / path).exists(), path
