"""What the docs tell people to type, and needs no cluster, typed as it stands. Needs nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from installer.cli import COMMANDS, cli
from tests.docs.reading import ROOT
from tests.docs.table import rows, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the tree's root is to those who type: ./atoll with the Python of these tests, and the files named."""
    program = tmp_path / "atoll"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m installer "$@"\n')
    program.chmod(0o755)
    shutil.copy(ROOT / "cluster.example.yaml", tmp_path)
    example = (ROOT / "cluster.example.yaml").read_text("utf-8")
    (tmp_path / "cluster.yaml").write_text(re.sub("^name: .*", "name: mine", example, flags=re.MULTILINE), "utf-8")
    (tmp_path / "in").write_text("b\na\nb\n")
    return tmp_path


@pytest.mark.parametrize("command", run("fast"))
def test_a_command_of_the_docs_does_what_they_say(folder: Path, command: str) -> None:
    row = rows()[command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ATOLL_OUTPUT_DIR": str(folder)}
    ran = subprocess.run(
        ["bash", "-c", row.typed(command)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode in row.ends, ran.stdout + ran.stderr
    assert re.search(row.says or "", ran.stdout + ran.stderr, re.MULTILINE), ran.stdout + ran.stderr
    for file, content in row.leaves.items():
        assert re.search(content, (folder / file).read_text("utf-8"), re.MULTILINE), file


def every_command() -> Iterator[tuple[str, ...]]:
    context = click.Context(cli)
    for name in COMMANDS:
        yield (name,)
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((name, inner) for inner in command.list_commands(context))


@pytest.mark.parametrize("names", [*every_command()], ids=" ".join)
def test_every_command_explains_itself(names: tuple[str, ...]) -> None:
    """What `./atoll --help` says of each: `./atoll COMMAND --help` says more."""
    ran = CliRunner().invoke(cli, [*names, "--help"], prog_name="atoll")
    assert ran.exit_code == 0, ran.output
    assert ran.output.startswith(f"Usage: atoll {' '.join(names)} ")
