"""A plan is saved and read; what is no plan is told with what is wrong in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import Cluster
from installer.planning import Digests, Observations, Plan, Seen, Step, plan, saved

SAVED = Plan("test").to_json()
SAVED_STEP = Step("host", "one", "apply", "new").to_json()


def test_a_plan_can_be_saved_and_read(tmp_path: Path, cluster: Cluster, digests: Digests) -> None:
    made = plan(cluster, None, Observations({"worker1": Seen(reachable=False)}), digests)
    made.save(tmp_path / "plan.json")
    assert saved(tmp_path / "plan.json") == made


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ([], "it is no JSON object"),
        ({"cluster": "test"}, "it lacks `steps`, `notes`, `unreachable`, `hindrances`, `leaving`"),
        ({**SAVED, "steps": [SAVED_STEP, {**SAVED_STEP, "inputs": {}}]}, "step 2 has `inputs`, which is not known"),
        ({**SAVED, "steps": [{"phase": "host", "node": "one", "action": "apply"}]}, "step 1 lacks `reason`, .*"),
        ({**SAVED, "steps": ["host"]}, "step 1 is no JSON object"),
    ],
)
def test_a_file_that_is_no_plan_is_told_with_what_is_wrong_in_it(tmp_path: Path, content: Any, told: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=f"^{path} is not a plan of this version of Atoll: {told}$"):
        saved(path)


def test_a_file_that_is_no_json_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{\n "cluster": \n')
    with pytest.raises(ValueError, match=r"is not a plan of this version of Atoll: .* line 3 column 1"):
        saved(path)
