"""The command line: every row leads somewhere, help is quick and teaches, errors have their exit codes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from installer import exit_codes
from installer.cli import COMMANDS, LazyGroup, cli, main
from installer.cluster import TREE

# What they print is somebody else's, or they are for a person who looks on.
WITHOUT_JSON = {"kubectl", "test", "dev", "lab exec", "lab poweroff", "bundle relock"}


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                assert found is not None
                yield f"{name} {inner}", found
        else:
            yield name, command


@pytest.mark.parametrize("name", COMMANDS)
def test_every_row_leads_to_a_command(name: str) -> None:
    assert isinstance(cli, LazyGroup)
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help


def test_every_command_can_answer_programs() -> None:
    lacking = {name for name, command in commands() if not any("-o" in option.opts for option in command.params)}
    assert lacking <= WITHOUT_JSON


def test_help_lists_every_command_by_group_and_the_exit_codes() -> None:
    shown = subprocess.run([sys.executable, "-m", "installer", "--help"], cwd=TREE, capture_output=True, text=True)
    assert shown.returncode == 0
    for name, row in COMMANDS.items():
        assert f"  {name} " in shown.stdout
        assert row.help in shown.stdout
    for code in exit_codes.MEANINGS:
        assert f"{code} " in shown.stdout


def test_help_imports_nothing_that_is_slow() -> None:
    code = (
        "import sys\nfrom installer.cli import cli\n"
        "cli.main(['--help'], standalone_mode=False)\n"
        "print(sorted({'pydantic', 'ansible', 'kubernetes', 'rich', 'yaml'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], cwd=TREE, capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines()[-1] == "[]"


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["atoll", *arguments])
    try:
        return main()
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], exit_codes.OK),
        (["validate"], exit_codes.OK),
        (["nonsense"], exit_codes.USAGE),
        (["validate", "--nonsense"], exit_codes.USAGE),
        (["validate", "-f", "/absent.yaml"], exit_codes.BAD_FILE),
        (["plan", "-f", "/absent.yaml"], exit_codes.BAD_FILE),
        (["plan", "--node", "nobody"], exit_codes.USAGE),
    ],
)
def test_exit_codes_are_those_that_help_lists(
    arguments: list[str], code: int, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments, monkeypatch=monkeypatch) == code
    shown = capfd.readouterr()
    assert "Traceback" not in shown.err


def test_a_defect_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli, "main", broken)
    with pytest.raises(ZeroDivisionError):
        main()
