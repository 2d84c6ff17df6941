"""Tables for spreadsheet programs: what they hold is what was put in, and none of it is run. Needs nothing."""

import csv
import io
from collections.abc import AsyncIterator

import pytest
from atoll.web.spreadsheets import MARK, harmless, line, meant, table

FORMULAS = {
    **{text: f"'{text}" for text in ("=1+1", "+49 30 1234", "-2+3", "@SUM(A1)", "＝1", "＋1", "－1", "＠1")},
    **{"\t=1": "'\t'=1", "\r=1": "'\r'=1", "\n=1": "'\n'=1", "\tada": "'\tada", "\rada": "'\rada", "\nada": "'\nada"},
    **{
        "User;=1": "User;'=1",
        "a;b;-1;@x": "a;b;'-1;'@x",
        'a;""=1': 'a;""\'=1',
        "two\n+1": "two\n'+1",
        "a\t＝1": "a\t'＝1",
    },
}
TEXTS = (
    *("", "ada", "a=b", " =1", "'", "'quoted'", 'he said "no"', "a,b", "a,=b", "two\nlines", "李雷", "1", "2026-01-01"),
    *("a;b", "a; =b", "a\r\nb", "it's", "a;'b", "'a;b"),
)


@pytest.mark.parametrize("text", FORMULAS)
def test_what_would_be_run_is_a_text(text: str) -> None:
    assert harmless(text) == FORMULAS[text]
    assert meant(harmless(text)) == text


@pytest.mark.parametrize("separator", [",", ";"])
def test_no_cell_is_a_formula_for_a_program_that_parts_lists_by_semicolons_either(separator: str) -> None:
    lines = (line(["ada", text, "last"]) for text in (*FORMULAS, *TEXTS))
    read = csv.reader(io.StringIO("".join(lines), newline=""), delimiter=separator)
    cells = [cell for each in read for cell in each]
    assert len(cells) > len(FORMULAS)
    assert [cell for cell in cells if cell.lstrip("\t\r\n").startswith(tuple("=+-@＝＋－＠"))] == [], (
        "a cell would be run"
    )


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_none_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text
    assert meant(text) == text


def test_a_line_is_read_as_the_cells_that_it_was_made_of() -> None:
    made = line([*TEXTS, *FORMULAS])
    assert made.endswith("\r\n")
    assert list(csv.reader(io.StringIO(made, newline=""), strict=True)) == [[*TEXTS, *map(harmless, FORMULAS)]]


async def test_a_table_has_a_mark_and_a_name_and_comes_line_by_line() -> None:
    async def lines() -> AsyncIterator[str]:
        for text in ("a", "李"):
            yield line([text])

    answer = table("记录.csv", ["name"], lines())
    told = [bytes(each) if not isinstance(each, str) else each.encode() async for each in answer.body_iterator]
    assert told == [(MARK + '"name"\r\n').encode(), b'"a"\r\n', '"李"\r\n'.encode()]
    assert told[0].startswith(b"\xef\xbb\xbf")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''%E8%AE%B0%E5%BD%95.csv"
