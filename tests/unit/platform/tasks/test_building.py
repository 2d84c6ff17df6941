"""The rules that all kinds of tasks share. Needs nothing."""

import pytest
from atoll.configuration import Configuration, ResourceLimit
from atoll.engines.specification import LocalDisk
from atoll.tasks.building import Builder
from atoll.virtual_clusters.models import QuotaRow, VirtualClusterRow

from installer.cluster import DEVICE_TYPES
from tests.unit.platform.conftest import LIMITS

NPU = DEVICE_TYPES["huawei_npu_arm64"].row()


@pytest.fixture
def builder() -> Builder:
    parts = {
        "cluster": {"name": "test", "version": "0"},
        "database": {"host": "/x", "user": "nobody"},
        "web": {"origin": "https://portal"},
        "services": {"files": "http://127.0.0.1:1", "jobs": "http://127.0.0.1:2"},
        "engine": {
            "kind": "kubernetes",
            "runtime": "r",
            "gateways": ["192.0.2.1"],
            "name_service": "192.0.2.2",
            "networks": ["10.244.0.0/16"],
        },
        "frameworks": [{"name": "numpy", "title": "N", "image": "n", "library": "scikit-learn"}],
        "devices": [NPU],
        "resource_limit": {NPU["type"]: LIMITS},
    }
    return Builder(Configuration.model_validate(parts), "ada")


def test_the_disk_of_its_node_is_that_of_the_device_type_and_without_devices_that_of_tasks_without(
    builder: Builder,
) -> None:
    npu = {**LIMITS, "local_disk": "100Gi", "local_disk_request": "10Gi"}
    limits = ResourceLimit.model_validate({NPU["type"]: npu, "cpu": {**LIMITS, "local_disk": "5Gi"}})
    builder.configuration = builder.configuration.model_copy(update={"resource_limit": limits})
    assert builder.local_disk(NPU["type"], 1) == LocalDisk(limit="100Gi", request="10Gi")
    assert builder.local_disk(NPU["type"], 0) == builder.local_disk(None, 0) == LocalDisk(limit="5Gi")
    assert builder.local_disk("unknown", 1) is None


@pytest.mark.parametrize("nodes", [1, 2])
def test_several_nodes_need_no_leave_but_whole_groups_of_devices(builder: Builder, nodes: int) -> None:
    quota = QuotaRow(device_type=NPU["type"], count=16, max_per_user=16)
    cluster = VirtualClusterRow(id="1", name="default", quotas=[quota])
    allowed = NPU["counts"] if nodes == 1 else NPU["distributed_counts"]
    for count in (*allowed, 3, 5):
        found = builder.devices(cluster, NPU["type"], count, nodes)
        assert found is not None
        assert (found.count, found.nodes) == (count, nodes)
    told = [(problem.field, problem.code, problem.params) for problem in builder.problems]
    assert told == [("devices", "device_count_not_allowed", {"counts": allowed})] * 2
