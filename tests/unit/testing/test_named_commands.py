"""What texts tell people to type is there to be typed."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from installer.cli import COMMANDS, cli
from installer.testing.results import ROOT

TEXTS = ["README.md", "cluster.example.yaml", "atoll", "service_ctl.py", "docs", "group_vars", "installer", "plugins"]
TEXTS += ["roles", "platform/atoll", "platform/portal/src"]
NOT_YET = {"upgrade"}  # named where a person is told that it is not there yet
ENDINGS = {"", ".md", ".yaml", ".yml", ".py", ".j2", ".json", ".ts", ".tsx"}


def files(place: Path) -> list[Path]:
    return [place] if place.is_file() else [path for path in sorted(place.rglob("*")) if path.suffix in ENDINGS]


def named(place: Path) -> set[tuple[str, str]]:
    """Pairs of command and first word behind it, of every `./atoll COMMAND WORD` in code spans and listings."""
    texts = [path.read_text("utf-8") for path in files(place) if path.is_file()]
    return {
        (found[1], found[2] or "")
        for text in texts
        for found in re.finditer(r"\./atoll ([a-z]+)(?: ([a-z]+(?:-[a-z]+)*))?", text)
    }


@pytest.mark.parametrize("text", TEXTS)
def test_every_command_that_a_text_names_exists(text: str) -> None:
    assert {command for command, _ in named(ROOT / text)} - set(COMMANDS) - NOT_YET == set()


@pytest.mark.parametrize("text", TEXTS)
def test_so_does_the_command_of_a_group(text: str) -> None:
    context = click.Context(cli)
    for command, word in sorted(named(ROOT / text)):
        group = cli.get_command(context, command)
        if isinstance(group, click.Group) and word:
            assert word in group.list_commands(context), f"./atoll {command} {word}"
