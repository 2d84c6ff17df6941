"""A device type is a row and nothing else: one that nobody has heard of is offered, admitted, placed and rendered."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from atoll.configuration import Configuration, ConfigurationError, load
from atoll.devices.types import DeviceType, choose
from atoll.engines.base import Submission
from atoll.engines.kubernetes import machines, manifests, observing
from atoll.training.definition import Drafted, draft
from atoll.training.schemas import TrainingCreate
from atoll.virtual_clusters.models import QuotaRow, VirtualClusterRow
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from installer.cluster import DEVICE_TYPES
from tests.unit.platform.conftest import LIMITS, RunningPlatform, eventually, training
from tests.unit.platform.conftest import configuration as running
from tests.unit.platform.engines.test_kubernetes_machines import machine, pod

# Its name says nothing of vendor, kind or architecture.
ROW: dict[str, Any] = {
    "type": "moonstone9",
    "title": "Acme Moonstone",
    "vendor": "acme",
    "kind": "tpu",
    "arch": "arm64",
    "resource": "acme.test/moonstone",
    "counts": [0, 1, 2, 4],
    "distributed_counts": [4],
    "group": 2,
    "visible_devices": "ACME_CARDS",
}
MADE_UP: dict[str, Any] = {
    "devices": [ROW],
    "resource_limit": {"moonstone9": LIMITS, "request_ratio": 0.5},
    "engine": {"kind": "local", "nodes": [{"name": "one", "arch": "arm64", "devices": {"moonstone9": 4}}]},
    "virtual_clusters": [{"name": "default", "devices": {"moonstone9": 4}}],
}


@pytest.fixture
def different() -> dict[str, Any]:
    return MADE_UP


def configuration(tmp_path: Path, **changes: Any) -> Configuration:
    usual = running(tmp_path, "/socket", "name").model_dump(exclude={*MADE_UP})
    return Configuration.model_validate(usual | MADE_UP | changes)


def drafted(tmp_path: Path, **changes: Any) -> Drafted:
    body = TrainingCreate.model_validate(training(device_type="moonstone9", **changes))
    cluster = VirtualClusterRow(
        id="1", name="default", quotas=[QuotaRow(device_type="moonstone9", count=8, max_per_user=8)]
    )
    return draft(configuration(tmp_path), "ada", body, cluster, task_id="1")


@pytest.mark.parametrize(
    ("asked", "counts"),
    [({"devices": 3}, [0, 1, 2, 4]), ({"devices": 2, "distributed": True, "nodes": 2}, [4])],
)
def test_only_the_numbers_of_the_row_are_admitted(tmp_path: Path, asked: dict[str, Any], counts: list[int]) -> None:
    found = drafted(tmp_path, **asked)
    assert found.built is None
    assert [(problem.code, problem.params["counts"]) for problem in found.problems] == [
        ("device_count_not_allowed", counts)
    ]


def test_a_pod_asks_for_the_resource_on_machines_of_the_architecture(tmp_path: Path) -> None:
    built = drafted(tmp_path, devices=2).built
    assert built is not None
    task = manifests.job_set(
        Submission(
            attempt_id="1-1",
            task_id="1",
            task_name="a",
            number=1,
            user_name="ada",
            uid=30001,
            virtual_cluster="default",
            specification=built.specification,
        )
    )
    spec = task["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"kubernetes.io/arch": "arm64"}
    assert spec["containers"][0]["resources"]["limits"]["acme.test/moonstone"] == "2"


def test_machines_and_the_words_of_the_queue_speak_of_it(tmp_path: Path) -> None:
    rows = configuration(tmp_path).devices
    node = machine("worker1", **{"kubernetes.io/arch": "arm64"})
    node["status"]["allocatable"]["acme.test/moonstone"] = "4"
    (seen,) = machines.observe([node], [pod("Running", {"acme.test/moonstone": "1"})], rows)
    assert [(item.type, item.total, item.used) for item in seen.devices] == [("moonstone9", 4, 1)]
    message = "insufficient unused quota for acme.test/moonstone in flavor default, 2 more needed"
    reason = observing.quota_words(message, rows).reason()
    assert (reason.message, reason.params["resource"]) == ("All others are in use; still missing: 2 TPU.", "TPU")


async def test_it_is_offered_and_its_cards_are_given_out_by_groups(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    (cluster,) = (await admin.get("/trainings/options")).json()["virtual_clusters"]
    (offer,) = cluster["devices"]
    assert (offer["type"], offer["kind"], offer["arch"]) == ("moonstone9", "tpu", "arm64")
    assert (offer["counts"], offer["distributed_counts"]) == ([0, 1, 2, 4], [4])
    named = {"type": "moonstone9", "title": "Acme Moonstone", "card": "TPU", "arch": "arm64"}
    assert (await admin.get("/session")).json()["device_types"] == [named]
    program("admin", "import os, time; print('has', os.environ['ACME_CARDS'], flush=True); time.sleep(60)\n")

    async def start(devices: int) -> str:
        made = await admin.post("/trainings", training(device_type="moonstone9", devices=devices))
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    async def cards(task_id: str) -> str:
        async def look() -> str:
            log = (await admin.get(f"/tasks/{task_id}/log/content")).text
            return log.partition("has ")[2].strip()

        return str(await eventually(look))

    first = await start(1)
    assert await cards(first) == "0"
    assert await cards(await start(2)) == "2,3"  # 1 and 2 are free, too, but of two groups
    waiting = await admin.once(await start(2), lambda task: bool(task["reason"]))
    assert waiting["state"] == "queued"


@example(frozenset({0, 2, 3, 4, 5}), 2, 4)
@given(st.frozensets(st.integers(0, 11)), st.sampled_from([1, 2, 3, 4]), st.integers(0, 12))
def test_cards_of_a_task_lie_in_one_group_or_are_whole_groups(free: frozenset[int], group: int, count: int) -> None:
    chosen = choose(free, count, group)
    if chosen is None:
        whole = sum(set(range(start, start + group)) <= free for start in range(0, 12, group))
        in_one = max(sum(index // group == number for index in free) for number in range(12))
        assert in_one < count if count <= group else whole * group < count or count % group
        return
    assert set(chosen) <= free
    assert len(set(chosen)) == count
    touched = {index // group for index in chosen}
    assert len(touched) <= 1 or count == len(touched) * group


def test_a_configuration_of_another_version_is_told_with_what_it_lacks(tmp_path: Path) -> None:
    before = {"type": "nvidia_gpu_amd64", "resource": "nvidia.com/gpu", "counts": [0, 1]}
    content = configuration(tmp_path).model_dump(mode="json") | {"devices": [before]}
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigurationError) as told:
        load(path)
    (line,) = str(told.value).splitlines()
    assert "the row of `nvidia_gpu_amd64` lacks arch, distributed_counts, group, " in line
    assert "./atoll apply" in line


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([ROW | {"counts": [3]}], "3 of `moonstone9` lie neither in a group of 2 nor in whole ones"),
        ([ROW, ROW], "a device type is there twice"),
        ([ROW, ROW | {"type": "other"}], "nothing tells them apart"),
        ([ROW | {"colour": "red"}], "Extra inputs"),
        ([ROW | {"type": "other"}], "engine.nodes: moonstone9: no such device type"),
    ],
)
def test_rows_that_contradict_each_other_are_refused(tmp_path: Path, rows: list[dict[str, Any]], words: str) -> None:
    limits = {"moonstone9": LIMITS, "other": LIMITS}
    with pytest.raises(ValidationError, match=words):
        configuration(tmp_path, devices=rows, resource_limit=limits)


def test_every_row_of_the_installer_is_one_of_the_platform() -> None:
    for device in DEVICE_TYPES.values():
        assert DeviceType.model_validate(device.row()).model_dump(mode="json") == device.row()
