"""What the docs tell people to type: every line of a shell listing, and every code span that is a command."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from installer.cli import COMMANDS, cli

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
SHELLS = {"sh", "bash", "console"}
# A span whose first word is one of these is a command; so is one that names a program by its path.
PROGRAMS = {
    *(
        "./atoll",
        "service_ctl",
        "service_ctl.py",
        "kubectl",
        "systemctl",
        "journalctl",
        "etcdctl",
        "etcdutl",
        "gluster",
    ),
    *("npm", "pytest", "python", "python3", "lint-imports", "git", "docker", "openssl", "ssh", "scp", "cp", "rm"),
    *(
        "kubeadm",
        "mkdir",
        "shred",
        "chown",
        "chmod",
        "df",
        "du",
        "kill",
        "ip",
        "ss",
        "mount",
        "umount",
        "echo",
        "cat",
        "tail",
        "perf",
    ),
    *("apt-get", "curl", "sh", "bash", "tar", "nft", "crictl", "ctr", "useradd", "sudo"),
}


@dataclass(frozen=True)
class Said:
    """A command as the docs have it, on one line, and where (`docs/use.md:29`)."""

    command: str
    where: str


@dataclass(frozen=True)
class Listing:
    """A fenced listing: its language (empty where it names none), its lines and the number of the first."""

    language: str
    lines: tuple[str, ...]
    at: int


def taken_apart(text: str) -> tuple[list[Listing], str]:
    """Listings of a page, and its other text with an empty line for each of theirs."""
    listings: list[Listing] = []
    prose: list[str] = []
    inside: list[str] | None = None
    language, at = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            if inside is None:
                inside, language, at = [], line.strip().removeprefix("```").partition(" ")[0], number + 1
            else:
                listings.append(Listing(language, tuple(inside), at))
                inside = None
            prose.append("")
        elif inside is None:
            prose.append(line)
        else:
            inside.append(line)
            prose.append("")
    if inside is not None:
        raise ValueError(f"a listing that begins in line {at} has no end")
    return listings, "\n".join(prose)


def commands_of(page: Path) -> list[Said]:
    """Every command of a page, in its order of listings and then spans."""
    listings, prose = taken_apart(page.read_text("utf-8"))
    name = str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name
    found = [
        Said(command, f"{name}:{listing.at + line}")
        for listing in listings
        if listing.language in SHELLS
        for line, command in _typed(listing)
    ]
    for span, line in spans(prose):
        command = command_in(span)
        if command:
            found.append(Said(command, f"{name}:{line}"))
    return found


def spans(prose: str) -> list[tuple[str, int]]:
    """Code spans with the line in which each begins; one may go over the end of a line, not of a paragraph."""
    return [
        (" ".join(found[1].replace("\\|", "|").split()), prose.count("\n", 0, found.start()) + 1)
        for found in re.finditer(r"`((?:[^`\n]|\n(?!\s*\n))+)`", prose)
    ]


def command_in(span: str) -> str | None:
    """The command that a code span is; `verify --cis` and `lab up` are short for ./atoll's. None for other spans."""
    first, _, rest = span.partition(" ")
    if not rest:
        return None
    if first in PROGRAMS or re.fullmatch(r"/(opt|usr)/[\w./-]+", first):
        return span
    if first not in COMMANDS:
        return None
    command = cli.get_command(click.Context(cli), first)
    inner = isinstance(command, click.Group) and rest.split()[0] in command.commands
    return f"./atoll {span}" if inner or rest.startswith("-") else None


def _typed(listing: Listing) -> list[tuple[int, str]]:
    """Commands of a shell listing with the number of their line in it: without comments, prompts and output."""
    found: list[tuple[int, str]] = []
    going_on = ""
    begun = 0
    for number, line in enumerate(listing.lines):
        if listing.language == "console" and not going_on:
            if not line.startswith(("$ ", "# ")):
                continue  # what the command says
            line = line[2:]
        if not going_on:
            begun = number
        text = f"{going_on}{uncommented(line).strip()}"
        going_on = f"{text[:-1].rstrip()} " if text.endswith("\\") else ""
        if text and not going_on:
            found.append((begun, " ".join(text.split())))
    return found


def uncommented(line: str) -> str:
    """A line of shell without its comment; a `#` within quotes or a word begins none."""
    quote = ""
    for place, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "#" and (place == 0 or line[place - 1].isspace()):
            return line[:place]
    return line


def words(command: str) -> list[list[str]]:
    """The words of a command, a list for each part of a pipe or chain; where output goes is left out."""
    reader = shlex.shlex(command, posix=True, punctuation_chars="|;&>")
    reader.whitespace_split = True
    reader.commenters = ""
    parts: list[list[str]] = [[]]
    skip = False
    for word in reader:
        if skip:
            skip = False
        elif set(word) <= set("|;&"):
            parts.append([])
        elif set(word) == {">"}:
            skip = True
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def is_placeholder(word: str) -> bool:
    """Whether a word stands for another: NAME, <user>, …, [--option]."""
    return bool(re.fullmatch(r"[A-Z][A-Z_]*", word)) or any(sign in word for sign in "<>…$")
