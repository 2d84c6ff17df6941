"""Waivers of the CIS benchmark's checks: which may fail where, why, and until when. Read strictly."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from installer.errors import ToldError
from installer.exit_codes import BAD_FILE

PRODUCT = Path(__file__).with_suffix(".yaml")
NAME = "cis-waivers.yaml"  # the administrator's, beside cluster.yaml
_KEYS = {"check", "nodes", "reason", "end"}


class WaiverError(ToldError):
    """A waiver file cannot be read as one."""

    exit_code = BAD_FILE


@dataclass(frozen=True)
class Waiver:
    """A check that may fail on some nodes until a day, which is the last one."""

    check: str
    reason: str
    end: datetime.date
    file: Path
    line: int
    nodes: tuple[str, ...] = ()  # roles and names of nodes; nothing is every node

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.file.name}:{self.line}"

    def fits(self, check: str, node: str, roles: tuple[str, ...]) -> bool:
        """Say whether it speaks of a check of a node."""
        return check == self.check and (not self.nodes or bool({node, *roles} & {*self.nodes}))

    def ended(self, today: datetime.date) -> bool:
        """Say whether its last day is over."""
        return today > self.end


def read(file: Path) -> tuple[Waiver, ...]:
    """Read a file of waivers. Raises WaiverError with every mistake and its line."""
    try:
        root = yaml.compose(file.read_text("utf-8"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise WaiverError(
            f"{file} cannot be read: {error}", "It is a YAML list of waivers (docs/operate.md)."
        ) from None
    if root is None:
        return ()
    if not isinstance(root, yaml.SequenceNode):
        raise WaiverError(f"{file} is no list of waivers.", "docs/operate.md shows one.")
    waivers, mistakes = [], []
    for node in root.value:
        line = node.start_mark.line + 1
        said = _value(node)
        wrong = [*_mistakes(said)]
        mistakes += [f"{file}:{line}: {one}" for one in wrong]
        if not wrong:
            nodes = tuple(said.get("nodes", ()))
            waivers.append(Waiver(said["check"], said["reason"].strip(), said["end"], file, line, nodes))
    if mistakes:
        remedy = 'A waiver: `- {check: "4.1.1", nodes: [role or name], reason: …, end: 2027-12-31}`; `nodes` may lack.'
        raise WaiverError("\n".join(mistakes), remedy)
    return tuple(waivers)


def _value(node: yaml.Node) -> Any:
    return yaml.safe_load(yaml.serialize(node))


def _mistakes(said: Any) -> Iterator[str]:
    if not isinstance(said, dict):
        yield "is no waiver"
        return
    for key in said.keys() - _KEYS:
        yield f"unknown key `{key}`"
    if not isinstance(said.get("check"), str) or not said["check"]:
        yield '`check` is the id of a check, in quotes: "4.1.1"'
    if not isinstance(said.get("reason"), str) or not said["reason"].strip():
        yield "`reason` is missing: why this may fail"
    if type(said.get("end")) is not datetime.date:
        yield "`end` is missing: the waiver's last day, as 2027-12-31"
    nodes = said.get("nodes", ["all"])
    if not isinstance(nodes, list) or not nodes or not all(isinstance(one, str) for one in nodes):
        yield "`nodes` is a list of roles and names of nodes"
