"""What Kueue is told of virtual clusters that borrow; what it makes of that, `tests/apiserver/test_quota.py` tries."""

from typing import Any

import pytest

from tests.unit.platform.engines.test_kubernetes import CLUSTER, provisioned


def devices_of(made: dict[str, dict[str, Any]], name: str) -> dict[str, dict[str, Any]]:
    group = made[name]["spec"]["resourceGroups"][0]["flavors"][0]
    return {item["name"]: item for item in group["resources"]}


def test_a_virtual_cluster_that_borrows_has_idle_devices_of_others_and_no_more_cpu_and_memory() -> None:
    made = provisioned(CLUSTER.model_copy(update={"borrows": True}))
    quota = devices_of(made, "Cohort/vc-default")
    assert quota["nvidia.com/gpu"] == {"name": "nvidia.com/gpu", "nominalQuota": "8"}, "it borrows no device"
    assert quota["huawei.com/Ascend910"] == {"name": "huawei.com/Ascend910", "nominalQuota": "16"}
    assert [quota[name]["borrowingLimit"] for name in ("cpu", "memory")] == ["0", "0"]
    limit = devices_of(made, "ClusterQueue/vc-default--ada")["nvidia.com/gpu"]["borrowingLimit"]
    assert limit == "4", "one user holds more than one may"


def test_where_nothing_is_taken_back_nothing_is_lent() -> None:
    made = provisioned(CLUSTER.model_copy(update={"borrows": True}), lends=False)
    assert devices_of(made, "Cohort/vc-default")["nvidia.com/gpu"]["borrowingLimit"] == "0"
    assert made["ClusterQueue/vc-default--ada"]["spec"]["preemption"]["reclaimWithinCohort"] == "Never"


@pytest.mark.parametrize("borrows", [True, False])
def test_what_was_lent_is_taken_back_and_nobody_interrupts_a_colleague(borrows: bool) -> None:
    member = provisioned(CLUSTER.model_copy(update={"borrows": borrows}))["ClusterQueue/vc-default--ada"]["spec"]
    assert member["preemption"] == {
        "reclaimWithinCohort": "Any",
        "withinClusterQueue": "Never",
        "borrowWithinCohort": {"policy": "Never"},
    }
    assert member["queueingStrategy"] == "BestEffortFIFO"
