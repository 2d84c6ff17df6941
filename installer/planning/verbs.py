"""What can be done with phases, as data: the one table of verbs. Playbooks are made from it, one per verb.

A verb goes through the phases once or several times; each `Turn` says which verb of their roles it runs, on which
nodes, and in which order. To take a node out, to upgrade, to back up are rows here, and files of tasks in the roles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from installer.planning.phases import PHASES, Phase

RoleVerb = Literal["deploy", "verify", "remove"]
# What the plays on all nodes of a plan are called: the look before the first phase, the sum behind the last.
FACTS, VERDICT = "facts", "verdict"


@dataclass(frozen=True)
class Turn:
    """One way through the phases."""

    runs: RoleVerb  # which file of tasks of each role
    includes: Callable[[Phase], bool]
    title: str  # of what a play left, behind the title of its phase
    suffix: str = ""  # of the play's name
    backwards: bool = False
    removal: bool = False  # on the nodes from which a phase is removed, not on those that have it
    record: Literal["present", "absent"] | None = None  # what becomes of the phase's record

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in the order in which they are done."""
        return tuple(phase for phase in (reversed(PHASES) if self.backwards else PHASES) if self.includes(phase))

    def group(self, phase: Phase) -> str:
        """Return the inventory group on which the play of a phase runs."""
        return phase.removal_group if self.removal else phase.group


@dataclass(frozen=True)
class Verb:
    """One thing that is done with the phases, and its playbook."""

    name: str
    title: str
    turns: tuple[Turn, ...]
    tells_all: bool = False  # what is broken in one phase keeps no other from being done; told in the end

    @property
    def playbook(self) -> str:
        """The file in playbooks/."""
        return f"{self.name}.yml"


REMOVAL = Turn(
    "remove",
    lambda phase: phase.removable,
    title="removed",
    suffix=" - removal",
    backwards=True,
    removal=True,
    record="absent",
)
DEPLOYMENT = Turn("deploy", lambda _: True, title="as wanted", record="present")
VERIFICATION = Turn("verify", lambda _: True, title="as promised")

VERBS = (
    Verb("apply", "Do what a plan says: remove what is no longer wanted, then make what is", (REMOVAL, DEPLOYMENT)),
    Verb(
        "verify", "Ask every phase whether it keeps what it promises; change nothing", (VERIFICATION,), tells_all=True
    ),
)
BY_NAME = {verb.name: verb for verb in VERBS}
APPLY, VERIFY = BY_NAME["apply"], BY_NAME["verify"]
