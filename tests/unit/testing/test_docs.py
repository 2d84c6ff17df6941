"""Every command of the docs has its row in tests/docs/commands.yaml, and can be typed. Needs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from installer.cli import COMMANDS
from tests.docs.grammar import fault
from tests.docs.reading import PAGES, ROOT, Said, commands_of, spans, taken_apart, words
from tests.docs.table import Row, lacking, places, rows

PROMPTS = ("./atoll ", "service_ctl ", "kubectl ", "systemctl ")
GO_BY_A_FILE = ("plan", "apply", "enrol", "preflight")  # without one they mean the reference topology
FOR_OPERATORS = ("README.md", "docs/install.md", "docs/operate.md")


def test_every_command_of_the_docs_has_a_row() -> None:
    assert {command: where for command, where in places().items() if command not in rows()} == {}


def test_no_row_is_about_a_command_that_the_docs_have_no_more() -> None:
    assert sorted(set(rows()) - set(places())) == []


@pytest.mark.parametrize("command", places())
def test_a_command_of_the_docs_can_be_typed(command: str) -> None:
    assert fault(command) == "", places()[command]


@pytest.mark.parametrize("command", [command for command, row in rows().items() if row.by])
def test_the_test_that_a_row_names_is_there_and_gives_this_command(command: str) -> None:
    assert lacking(command, rows()[command].by or "") == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_command_hides_from_the_parser(page: Path) -> None:
    """A listing names its language, or it could be shell; what is no listing and no code span is words alone."""
    listings, prose = taken_apart(page.read_text("utf-8"))
    assert [listing.at for listing in listings if not listing.language] == []
    for listing in listings:
        if listing.language in ("text", "yaml", "json"):
            assert [line for line in listing.lines if line.startswith(PROMPTS)] == [], listing.at
    plain = prose
    for span, _ in spans(prose):
        plain = plain.replace(f"`{span}`", "")
    assert [line for line in plain.splitlines() if line.lstrip().startswith(PROMPTS)] == []
    assert [name for name in COMMANDS if f"./atoll {name}" in plain.replace("`", "")] == []


def test_what_changes_a_cluster_names_its_file() -> None:
    forgotten = [
        (command, where)
        for command, wheres in places().items()
        for part in words(command)
        if part[0] == "./atoll" and part[1] in GO_BY_A_FILE and "-f" not in part
        for where in wheres
        if where.startswith(FOR_OPERATORS)
    ]
    assert forgotten == []


PAGE = """\
# A page

Say `./atoll verify`, `verify --cis` or `lab
up`, but `verify` is a word, and so is `hosts: all`.

```sh
# a remark
./atoll status        # says `ready`
echo '# no remark' \\
  | cat
```

| a | `df -i \\| cat` |

```console
$ ./atoll runs list
run  what
```

```yaml
./atoll: nothing
```
"""


def test_listings_and_spans_are_taken_apart(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(PAGE)
    assert commands_of(tmp_path / "page.md") == [
        Said("./atoll status", "page.md:8"),
        Said("echo '# no remark' | cat", "page.md:9"),
        Said("./atoll runs list", "page.md:16"),
        Said("./atoll verify", "page.md:3"),
        Said("./atoll verify --cis", "page.md:3"),
        Said("./atoll lab up", "page.md:3"),
        Said("df -i | cat", "page.md:13"),
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("./atoll nonsense", "no command `nonsense`"),
        ("./atoll runs nonsense", "no command `nonsense`"),
        ("./atoll verify --nonsense", "--nonsense"),
        ("./atoll runs show", "ID is missing"),
        ("./atoll status worker1", "takes no such argument"),
        ("./atoll verify --phase nonsense", "no phase `nonsense`"),
        ("./atoll status -o yaml", "`yaml` is none of text, json"),
        ("./atoll validate -f", "requires an argument"),
        ("cp a b && ./atoll nonsense", "no command `nonsense`"),
        ("service_ctl nonsense", "nonsense"),
        ("service_ctl restart nonsense", "no service `nonsense`"),
        ("service_ctl logs api --nonsense", "--nonsense"),
        ("service_ctl.py list", "it is called service_ctl"),
        ("python -m installer.nonsense", "no module installer.nonsense"),
        ("npm run nonsense", "no script `nonsense`"),
        ("pytest tests/nonsense", "tests/nonsense is not there"),
    ],
)
def test_a_command_that_nobody_could_type_is_found(command: str, said: str) -> None:
    assert said in fault(command)


@pytest.mark.parametrize(
    "command",
    ["./atoll runs show ID", "./atoll apply --phase NAME -o json", "./atoll kubectl -- get pods -A",
     "./atoll lab --help", "./atoll lab exec worker1 -- ls --all",
     "service_ctl restart SERVICE -f FILE", "pytest tests/unit/<room>"],
)  # fmt: skip
def test_placeholders_and_what_is_passed_on_are_no_fault(command: str) -> None:
    assert fault(command) == ""


def test_a_test_that_does_not_give_the_command_is_no_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.docs.table.ROOT", tmp_path)
    lines = [
        'FLAG = "--cis"',
        "def ask():",
        '    run("verify", FLAG)',
        "def test_it():",
        '    """No plan."""',
        "    ask()",
    ]
    (tmp_path / "test_it.py").write_text("\n".join(lines))
    assert lacking("./atoll verify --cis", "test_it.py::test_it") == set()
    assert lacking("./atoll plan", "test_it.py::test_it") == {"plan"}
    assert lacking("./atoll verify --phase volume", "test_it.py::test_it") == {"--phase"}
    assert lacking("./atoll verify", "test_it.py::test_that") == {"test_it.py::test_that"}
    assert lacking("./atoll verify", "test_that.py::test_it") == {"test_that.py::test_it"}


@pytest.mark.parametrize(
    "row", [{}, {"run": "fast"}, {"by": "a", "not": "x" * 20}, {"not": "no"}, {"by": "a", "says": "b"}]
)
def test_a_row_says_one_thing_whole(row: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Row.model_validate(row)


def test_the_pages_are_those_that_people_read() -> None:
    assert {str(page.relative_to(ROOT)) for page in PAGES} >= {*FOR_OPERATORS, "docs/develop.md", "docs/use.zh.md"}
