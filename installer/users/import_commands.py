"""The command `users import`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from installer import exit_codes
from installer.cluster.options import FILE, OUTPUT
from installer.running.accepted import known_cluster
from installer.running.commands import console
from installer.users.importing import HEADS, Mistakes, content_of, looked_at, made
from installer.users.operator import operator

COLUMNS = ("name", "nickname", "phone", "email", "roles", "groups", "virtual_clusters")
TITLES = dict(zip(COLUMNS, HEADS["en"].split(","), strict=True))
STATES = {"new": "new", "existing": "is there already", "wrong": "mistakes"}


@click.command(name="import")
@FILE
@OUTPUT
@click.argument("csv_file", metavar="[FILE.csv]", required=False, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would be made, line by line, and what is wrong.")
@click.option("--skip-existing", is_flag=True, help="Leave users who are there already as they are.")
@click.option(
    "--passwords",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where the initial passwords go (0600); it must not be there yet.",
)
@click.option("--template", is_flag=True, help="Print the first line of such a file, and nothing else.")
@click.option("--language", type=click.Choice(["en", "zh"]), default="en", help="In which the template is.")
def import_(
    file: Path | None,
    output: str,
    csv_file: Path | None,
    dry_run: bool,
    skip_existing: bool,
    passwords: Path | None,
    template: bool,
    language: str,
) -> None:
    """Make the users of FILE.csv: all of them, or none.

    Each line is a user: user name, nickname, phone, e-mail, roles, groups, virtual clusters (the last four may be
    several names, separated by `;`). The first line says which column is which, in English or Chinese; user name,
    nickname and roles are needed. UTF-8 and GBK, commas and semicolons are understood; 10,000 users and 4 MiB at most.

    \b
      ./atoll users import --template > new.csv                 begin with this
      ./atoll users import new.csv --dry-run                    look at it; nothing changes
      ./atoll users import new.csv --passwords passwords.csv    make them

    Everybody gets an initial password of their own, which must be changed at the first sign-in. It is written to the
    file that --passwords names, and nowhere else.
    """
    if template:
        click.echo(HEADS[language])
        return
    if csv_file is None:
        raise click.UsageError("Name the file with the users, or --template for the first line of one.")
    if passwords is None and not dry_run:
        raise click.UsageError("Name a new file for the initial passwords with --passwords, or only look: --dry-run.")
    content = content_of(csv_file)
    arguments = [f"--by={operator()}", *(["--skip-existing"] if skip_existing else [])]
    cluster = known_cluster(file)
    try:
        if passwords is None or dry_run:
            _show(csv_file, looked_at(cluster, content, arguments), output)
        else:
            _tell(made(cluster, content, arguments, passwords), passwords, output)
    except Mistakes as error:
        if output == "json":
            click.echo(json.dumps({"errors": error.errors}, indent=1))
        for line in placed(csv_file, error.errors):
            click.echo(line, err=True)
        raise


def _show(csv_file: Path, answer: Mapping[str, Any], output: str) -> None:
    """Print a dry run. Raises SystemExit when there are mistakes."""
    if output == "json":
        click.echo(json.dumps(answer, indent=1))
    else:
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for title in ("line", *TITLES.values(), ""):
            table.add_column(title)
        for line in answer["lines"]:
            cells = (line[column] for column in TITLES)
            shown = (cell if isinstance(cell, str) else "; ".join(cell) for cell in cells)
            table.add_row(str(line["line"]), *(Text(printable(cell)) for cell in shown), STATES[line["state"]])
        console().print(table)
        for told in placed(csv_file, mistakes_of(answer)):
            click.echo(told, err=True)
        click.echo(summary(answer))
    if answer["mistakes"]:
        raise SystemExit(exit_codes.FAILED)


def _tell(answer: Mapping[str, Any], passwords: Path, output: str) -> None:
    """Say what was made, and where the passwords are; never what they are."""
    count = len(answer["passwords"])
    if output == "json":
        where = str(passwords) if count else None
        click.echo(json.dumps({"made": count, "existing": answer["existing"], "passwords": where}, indent=1))
        return
    click.echo(f"Made: {count}. There already: {answer['existing']}.")
    if count:
        click.echo(f"The initial passwords are in {passwords}. Hand them out, then remove the file (`shred -u`).")


def summary(answer: Mapping[str, Any]) -> str:
    """Say in one line what would be made."""
    encoding = answer["encoding"]
    read = f" Read as {encoding}." if encoding not in ("", "utf-8") else ""
    if answer["mistakes"]:
        return f"Mistakes: {answer['mistakes']}. Nothing can be imported until they are mended.{read}"
    return f"New: {answer['new']}. There already: {answer['existing']}. Nothing was changed.{read}"


def mistakes_of(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what a dry run found, with the line before the column."""
    yield from answer["errors"]
    for line in answer["lines"]:
        for each in line["errors"]:
            yield {**each, "field": f"{line['line']}.{each['field']}".rstrip(".")}


def placed(file: Path, errors: Sequence[Mapping[str, Any]] | Iterator[Mapping[str, Any]]) -> Iterator[str]:
    """Yield each mistake with its place: `new.csv:4: Roles: There is no role `x`.`."""
    for each in errors:
        line, _, column = str(each.get("field", "")).partition(".")
        place = f"{file}:{line}" if line else str(file)
        name = f"{TITLES.get(column, column)}: " if column else ""
        yield printable(f"{place}: {name}{each.get('message', '')}")


def printable(text: str) -> str:
    """Return it without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
