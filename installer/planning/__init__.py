"""What must be done, and why: phases as data, what each depends on, and the plan. Pure but for reading digests."""

from installer.planning.digests import collect
from installer.planning.observations import Managed, Observations, Record, Seen
from installer.planning.phases import BY_NAME, PHASES, Phase, Scope
from installer.planning.plan import Plan, Step, done, plan, saved
from installer.planning.projection import Digests, acting_master, nodes_of

__all__ = [
    "BY_NAME",
    "PHASES",
    "Digests",
    "Managed",
    "Observations",
    "Phase",
    "Plan",
    "Record",
    "Scope",
    "Seen",
    "Step",
    "acting_master",
    "collect",
    "done",
    "nodes_of",
    "plan",
    "saved",
]
