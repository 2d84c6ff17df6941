"""What service_ctl on a master says of the services of the fresh cluster."""

from __future__ import annotations

import json

from harness import Atoll, wait_for


def states(atoll: Atoll) -> dict[str, str]:
    rows = json.loads(atoll.node("master1", "service_ctl", "list", "-o", "json", ok=(0, 1)).out)["services"]
    return {row["name"]: row["state"] for row in rows}


def test_the_list_names_every_service_with_its_state(atoll: Atoll) -> None:
    wanted = {"api", "jobs", "files", "gateway", "database", "registry", "queue", "monitoring", "control"}
    assert wanted <= set(states(atoll))
    wait_for("every service runs", lambda: set(states(atoll).values()) == {"running"}, 180, 5)
