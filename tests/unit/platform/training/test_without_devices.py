"""A cluster without cards: what its form offers, and its tasks from the request to the end on the local engine."""

from typing import Any, cast

import pytest
from atoll.configuration import Configuration
from atoll.control.client import ControlClient
from atoll.engines.specification import LocalDisk
from atoll.images.service import ImageService
from atoll.training.definition import Drafted, draft
from atoll.training.schemas import TrainingCreate
from atoll.virtual_clusters.models import QuotaRow, VirtualClusterRow
from pydantic import ValidationError

from tests.unit.platform.conftest import LIMITS, RunningPlatform, training
from tests.unit.platform.training.test_own_images import IMAGE, FakeControl
from tests.unit.platform.training.test_own_images import configuration as with_cards

SMALL = {**LIMITS, "floor": {"cpu": "50m", "memory": "16Mi"}, "default": {"cpu": "200m", "memory": "64Mi"}}
WITHOUT_CARDS: dict[str, Any] = {
    "devices": [],
    "resource_limit": {"cpu": SMALL, "request_ratio": 0.5},
    "virtual_clusters": [{"name": "default", "devices": {}}],
}


@pytest.fixture
def different() -> dict[str, Any]:
    nodes = [{"name": "one"}, {"name": "two", "arch": "arm64"}]
    return {**WITHOUT_CARDS, "engine": {"kind": "local", "nodes": nodes}}


def configuration(**changes: Any) -> Configuration:
    return Configuration.model_validate(with_cards().model_dump(exclude={*WITHOUT_CARDS}) | WITHOUT_CARDS | changes)


def drafted(body: dict[str, Any], *, settings: Configuration | None = None, quotas: tuple[str, ...] = ()) -> Drafted:
    rows = [QuotaRow(device_type=kind, count=4, max_per_user=4) for kind in quotas]
    cluster = VirtualClusterRow(id="1", name="default", quotas=rows)
    request = TrainingCreate.model_validate(
        {"name": "a_task", "virtual_cluster": "default", "framework": "numpy", "start_file": "x.py", **body}
    )
    return draft(settings or configuration(), "ada", request, cluster, task_id="1")


def codes(found: Drafted) -> set[tuple[str, str]]:
    assert found.built is None
    return {(problem.field, problem.code) for problem in found.problems}


def test_a_task_names_no_device_type_and_has_the_limits_of_cpus() -> None:
    found = drafted({}).built
    assert found is not None
    devices = found.specification.devices
    assert (devices.type, devices.resource, devices.count, devices.architecture) == (None, None, 0, None)
    assert found.definition.device_type is None
    assert (found.specification.limits.cpu, found.specification.requests.cpu) == ("200m", "100m")
    assert found.specification.local_disk == LocalDisk(limit="20Gi", request="0")
    assert codes(drafted({"limits": {"cpu": "5", "memory": "64Mi"}})) == {("limits.cpu", "limit_out_of_bounds")}


@pytest.mark.parametrize(
    ("body", "quotas", "problem"),
    [
        ({"devices": 1}, (), ("devices", "device_count_not_allowed")),
        ({"device_type": "nvidia_gpu_amd64"}, (), ("device_type", "device_type_not_in_virtual_cluster")),
        ({}, ("nvidia_gpu_amd64",), ("device_type", "missing")),
        ({"nodes": 2}, (), ("nodes", "not_distributed")),
    ],
)
def test_a_device_type_is_named_where_there_is_one_and_only_there(
    body: dict[str, Any], quotas: tuple[str, ...], problem: tuple[str, str]
) -> None:
    assert codes(drafted(body, settings=with_cards() if quotas else None, quotas=quotas)) == {problem}


def test_distributed_training_is_asked_for_with_two_nodes_at_least() -> None:
    settings = configuration(frameworks=[{"name": "torch", "title": "T", "image": "t", "library": "pytorch"}])
    body = {"framework": "torch", "distributed": True}
    assert codes(drafted(body, settings=settings)) == {("nodes", "too_few_nodes")}
    found = drafted({**body, "nodes": 2}, settings=settings).built
    assert found is not None
    assert found.specification.devices.nodes == 2


@pytest.mark.parametrize(
    ("made_for", "machines", "expected"),
    [
        (["amd64", "arm64"], ["arm64"], "arm64"),
        (["amd64"], ["amd64", "arm64"], "amd64"),
        (["amd64"], ["arm64"], None),
    ],
)
async def test_an_image_of_ones_own_goes_to_machines_that_it_is_made_for(
    made_for: list[str], machines: list[str], expected: str | None
) -> None:
    settings = configuration()
    control = cast("ControlClient", FakeControl(architectures=made_for))
    own = await ImageService(settings, control).find(IMAGE, "ada")
    body = TrainingCreate.model_validate({"name": "a_task", "virtual_cluster": "default", "image": IMAGE})
    cluster = VirtualClusterRow(id="1", name="default", quotas=[])
    found = draft(settings, "ada", body, cluster, task_id="1", own=own, machines=machines)
    if expected is None:
        assert codes(found) == {("image", "image_architecture")}
    else:
        assert found.built is not None
        assert found.built.specification.devices.architecture == expected


def test_a_configuration_without_device_types_needs_limits_for_cpus() -> None:
    with pytest.raises(ValidationError, match="resource_limit lacks cpu"):
        configuration(resource_limit={"request_ratio": 0.5})


async def test_the_form_offers_no_devices_but_machines_and_limits(platform: RunningPlatform) -> None:
    options = (await (await platform.admin()).get("/trainings/options")).json()
    assert options["virtual_clusters"] == [{"name": "default", "devices": [], "max_nodes": 2, "privileged": False}]
    assert options["limits_without_devices"]["default"] == {"cpu": "200m", "memory": "64Mi"}


async def test_a_task_is_estimated_runs_and_is_told_without_a_device_type(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    program("admin", "import os; print(os.environ['WORLD_SIZE'])\n")
    body = training(device_type=None)
    estimate = (await admin.post("/trainings/estimate", body)).json()
    assert (estimate["allowed"], estimate["starts"], estimate["total"]) == (True, "now", 0)
    assert estimate["uses"]["device_type"] is None
    del body["device_type"]
    made = await admin.post("/trainings", body)
    assert made.status_code == 201, made.text
    assert made.json()["device_type"] is None
    task = await admin.until(made.json()["id"], "finished", "failed", "error")
    assert (task["state"], task["exit_code"]) == ("finished", 0)
    definition = (await admin.get(f"/trainings/{task['id']}/definition")).json()
    assert (definition["device_type"], definition["devices"]) == (None, 0)
    listed = (await admin.get("/tasks")).json()["items"]
    assert [item["device_type"] for item in listed] == [None]


async def test_more_machines_than_there_are_are_never_had(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    body = training(device_type=None, distributed=True, nodes=3)
    estimate = (await admin.post("/trainings/estimate", body)).json()
    assert (estimate["starts"], estimate["reason"]["code"]) == ("never", "not_enough_nodes"), estimate
    assert estimate["reason"]["params"] == {"needed": 3, "nodes": 2}
