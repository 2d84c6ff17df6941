"""What the sources claim to prove, and the page that is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from installer.testing import page
from installer.testing.features import owed, superseded
from installer.testing.marks import Mark, collected, mistakes, of_playwright, of_pytest

PYTEST = """
import pytest

@pytest.mark.feature("30a", 94, on="simulated")
@pytest.mark.feature(38)
@pytest.mark.timeout(3)
async def test_one(): ...

class TestMore:
    @pytest.mark.feature(45, on="local")
    def test_two(self): ...
"""
PLAYWRIGHT = """
test.describe("a group", () => {
  test("says \\"yes\\"", { tag: "@feature-38" }, async ({ page }) => {});
});
test(
  "two",
  {
    tag: ["@feature-30a", "@feature-94", "@slow", "@local"],
  },
  async ({ page }) => {},
);
test("claims nothing", async () => {});
"""


def test_the_page_is_what_the_marks_make_of_it() -> None:
    written = page.PAGE.read_text("utf-8")
    assert written == page.current(), "docs/features.md is old: ./atoll features --write"


def test_each_mark_names_a_feature_without_clauses_or_a_clause_and_what_it_is_proven_on() -> None:
    assert mistakes(collected(), owed()) == []


def test_marks_of_pytest_are_read_from_decorators() -> None:
    assert [*of_pytest(PYTEST, "f.py")] == [
        Mark("30a", "simulated", "f.py::test_one"),
        Mark("94", "simulated", "f.py::test_one"),
        Mark("38", "real", "f.py::test_one"),
        Mark("45", "local", "f.py::test_two"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "pytestmark = pytest.mark.feature(3)",
        "@pytest.mark.feature(3)\nclass TestMore:\n    def test_two(self): ...",
        "ROWS = [pytest.param(1, marks=pytest.mark.feature(3))]",
        "@pytest.mark.feature\ndef test_two(): ...",
    ],
)
def test_a_mark_that_is_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"f.py:1: a feature is marked at the test itself"):
        [*of_pytest(text, "f.py")]


def test_what_proves_a_feature_is_in_every_run() -> None:
    with pytest.raises(ValueError, match=r"f.py::test_two: .* it is not long"):
        [*of_pytest("@pytest.mark.long\n@pytest.mark.feature(3)\ndef test_two(): ...", "f.py")]


def test_marks_of_playwright_are_read_from_tags() -> None:
    assert of_playwright(PLAYWRIGHT, "f.spec.ts") == [
        Mark("38", "real", 'f.spec.ts > says \\"yes\\"'),
        Mark("30a", "local", "f.spec.ts > two"),
        Mark("94", "local", "f.spec.ts > two"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        'test.describe("a group", { tag: "@feature-38" }, () => {});',
        'test(`a title`, { tag: "@feature-38" }, async () => {});',
        'const tag = "@feature-38";',
        'test("one", { tag: "@feature-thirty" }, async () => {});',
        'test("one", { tag: "@feature-30aa" }, async () => {});',
        'test("one", { tag: ["@feature-38", "@long"] }, async () => {});',
    ],
)
def test_a_tag_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"f\.spec\.ts"):
        of_playwright(text, "f.spec.ts")


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        (Mark("30", "real", "tests/system/t.py::t"), "feature 30 has clauses: name what the test drives of 30a, 30b"),
        (Mark("308", "real", "tests/system/t.py::t"), "there is no feature 308"),
        (Mark("30z", "real", "tests/system/t.py::t"), "there is no feature 30z"),
        (Mark("38", "protocol server", "tests/system/t.py::t"), "is none of real, simulated, protocol, local"),
        (Mark("38", "real", "tests/unit/t.py::t"), "`real` is proven on an installed cluster"),
        (Mark("38", "simulated", "tests/e2e/dev/t.spec.ts > t"), "`simulated` is proven on an installed cluster"),
        (Mark("38", "local", "tests/e2e/cluster/t.spec.ts > t"), "`local` is what needs no cluster"),
    ],
)
def test_what_is_wrong_with_a_mark_is_told(mark: Mark, told: str) -> None:
    (line,) = mistakes([mark], owed())
    assert told in line
    assert line.startswith(mark.test)


def test_a_row_of_the_page_says_what_it_is_proven_on_and_by_which_test() -> None:
    marks = [
        Mark("30a", "real", "tests/system/t.py::adds"),
        Mark("30b", "simulated", "tests/system/t.py::removes"),
        Mark("99", "local", "tests/e2e/dev/t.spec.ts > keys"),
        Mark("94", "protocol", "tests/system/t.py::x"),
        Mark("94", "local", "tests/unit/t.py::y"),
    ]
    lines = page.page(marks, owed(), superseded()).splitlines()
    found = {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")}
    assert len([key for key in found if key.isdigit()]) == 307
    assert found["30"].endswith("| simulated | its clauses |")
    assert found["30a"].endswith("| real | `tests/system/t.py::adds` (real) |")
    assert found["99"].endswith("| superseded | `tests/e2e/dev/t.spec.ts > keys` (local) |")
    assert found["94"].endswith("| protocol | `tests/system/t.py::x` (protocol)<br>`tests/unit/t.py::y` (local) |")
    assert found["104"].endswith("| owed |  |")
    assert "Of 307 features: 1 simulated, 1 protocol, 1 superseded, 304 owed." in lines


def test_a_wrong_mark_makes_no_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(page, "collected", lambda: [Mark("30", "real", "tests/system/t.py::t")])
    with pytest.raises(ValueError, match="feature 30 has clauses"):
        page.write(tmp_path / "features.md")
    assert not (tmp_path / "features.md").exists()
