"""Whether a command of the docs can be typed at all: each is held against the program that would read it."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import sys
from collections.abc import Sequence

import click

import service_ctl
from installer.cli import cli
from installer.planning.phases import BY_NAME
from installer.services.table import SERVICES
from tests.docs.reading import ROOT, is_placeholder, words

PASSED_ON = {"kubectl", "lab exec"}  # what stands behind them is another program's
PACKAGES = ("platform/portal/package.json", "tests/e2e/package.json")


def fault(command: str) -> str:
    """Why this command is wrong; empty where nothing is known against it."""
    for part in words(command):
        told = _fault(part)
        if told:
            return f"`{command}`: {told}"
    return ""


def _fault(part: Sequence[str]) -> str:
    program, arguments = part[0], list(part[1:])
    if program == "./atoll":
        return of_atoll(arguments)
    if program == "service_ctl":
        return of_service_ctl(arguments)
    if program in ("python", "python3") and arguments[:1] == ["-m"] and len(arguments) > 1:
        return _of_module(arguments[1])
    if program == "npm" and arguments:
        return _of_npm(arguments)
    if program == "pytest":
        places = [word for word in arguments if word.startswith("tests/") and not is_placeholder(word)]
        return "; ".join(f"{place} is not there" for place in places if not (ROOT / place).exists())
    if program.endswith(("service_ctl.py", "service_ctl.sh")):
        return "on a master, and in docs, it is called service_ctl"
    return ""


def resolved(arguments: Sequence[str]) -> tuple[click.Context, click.Command, list[str], list[str]]:
    """The command that ./atoll would carry out, its names, and the words that are left to it. Raises UsageError."""
    context, names, left = click.Context(cli, info_name="atoll"), [], list(arguments)
    command: click.Command = cli
    while isinstance(command, click.Group) and left and not left[0].startswith("-"):
        found = command.get_command(context, left[0])
        if found is None:
            raise click.UsageError(f"{context.command_path} has no command `{left[0]}`")
        command, context = found, click.Context(found, info_name=left[0], parent=context)
        names.append(left.pop(0))
    return context, command, names, left


def of_atoll(arguments: Sequence[str]) -> str:
    """Ask click itself: the command, each option with its value, how many arguments there are, choices, phases."""
    bare = [word.strip("[]") for word in arguments]
    try:
        context, command, names, left = resolved(bare)
        if " ".join(names) in PASSED_ON or left in (["--help"], ["-h"]):
            return ""
        if isinstance(command, click.Group):  # its name alone stands for all that it has
            return f"{' '.join(left)} belongs to no command" if left else ""
        given, over, _ = command.make_parser(context).parse_args(list(left))
    except click.UsageError as error:
        return error.format_message()
    if over:
        return f"{' '.join(over)}: `{' '.join(names)}` takes no such argument"
    for option in command.params:
        value = given.get(option.name or "")
        values = [each for each in (value if isinstance(value, list | tuple) else [value]) if isinstance(each, str)]
        if isinstance(option, click.Argument) and option.required and not values:
            return f"{option.make_metavar(context)} is missing"
        for each in values:
            if is_placeholder(each):
                continue
            if isinstance(option.type, click.Choice) and each not in option.type.choices:
                return f"`{each}` is none of {', '.join(map(str, option.type.choices))}"
            if option.name == "phases" and each not in BY_NAME:
                return f"there is no phase `{each}`"
    return ""


def of_service_ctl(arguments: Sequence[str]) -> str:
    """Ask its own parser, and the table of services."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            options = service_ctl.parser().parse_args(arguments)
    except SystemExit:
        return said.getvalue().strip().splitlines()[-2]
    name = getattr(options, "name", None)
    if name and options.command != "operations" and not is_placeholder(name) and name not in {s.name for s in SERVICES}:
        return f"there is no service `{name}`"
    return ""


def names_of(part: Sequence[str]) -> set[str]:
    """The words that a test which gives this command has to have: commands and options, not what stands for others.

    `-f` and `-o`, which every command of ours takes, are left out; of another program every word counts.
    """
    program, arguments = part[0], [word.strip("[]") for word in part[1:]]
    options = {word for word in arguments if word.startswith("-")} - {"-f", "-o", "--"}
    if program == "./atoll":
        names = resolved(arguments)[2]
        return {*names, *(() if " ".join(names) in PASSED_ON else options)}
    if program == "service_ctl":
        return {arguments[0], *options}
    typed = arguments if program in ("python", "python3") else (program, *arguments)  # a test has one of its own
    return {word for word in typed if not is_placeholder(word)}


def _of_module(name: str) -> str:
    before = sys.path[:]
    sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    finally:
        sys.path[:] = before
    return "" if found else f"there is no module {name}"


def _of_npm(arguments: Sequence[str]) -> str:
    script = arguments[1] if arguments[0] == "run" else arguments[0]
    scripts = {name for package in PACKAGES for name in json.loads((ROOT / package).read_text("utf-8"))["scripts"]}
    return "" if script in scripts or script == "install" else f"there is no script `{script}`"
