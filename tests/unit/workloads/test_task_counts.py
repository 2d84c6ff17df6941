"""How many tasks Ansible starts on each node when every phase runs: the budget of design.md, held by a table.

A task is a start of Python on a node and a line in the journal, so a new one is a change of this table. Needs nothing.
"""

from __future__ import annotations

import json
from collections import Counter

from installer.planning.phases import PHASES

from .conftest import TREE, Rendered

TABLE = TREE / "tests/bench/tasks.json"


def test_each_phase_starts_as_many_tasks_on_each_node_as_the_table_says(rendered: Rendered) -> None:
    counted = {phase: dict[str, int]() for phase in ("facts", *(phase.name for phase in PHASES))}
    for start in rendered.started:
        counted[start["phase"]][start["host"]] = counted[start["phase"]].get(start["host"], 0) + 1
    kept = json.loads(TABLE.read_text("utf-8"))
    assert counted == kept["phases"], f"{TABLE} keeps what was counted last; change it if the tasks are worth it"


def test_a_node_starts_no_more_tasks_than_the_budget_when_nothing_changes() -> None:
    kept = json.loads(TABLE.read_text("utf-8"))
    tasks: Counter[str] = Counter()
    for nodes in kept["phases"].values():
        tasks.update(nodes)
    assert max(tasks.values()) <= kept["budget"], tasks
