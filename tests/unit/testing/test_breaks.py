"""What the lab breaks is all that there is."""

from __future__ import annotations

from installer.cluster import reference
from installer.planning.phases import PHASES
from installer.planning.projection import nodes_of
from tests.system.breaks import TOGETHER


def test_every_phase_that_can_be_asked_is_broken_once() -> None:
    phases = {one.phase for breaks in TOGETHER.values() for one in breaks}
    assert phases == {phase.name for phase in PHASES if nodes_of(phase, reference())}
