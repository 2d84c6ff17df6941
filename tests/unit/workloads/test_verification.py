"""`playbooks/verify.yml`, played for nodes that are not there: each phase asks what it promises, where it belongs."""

from __future__ import annotations

from typing import Any

import pytest

from installer.cluster import load
from installer.planning.verification import everything

from .conftest import REFERENCE, Rendered, Rendering, file_of, render

NAMES = (REFERENCE, "local_storage", "three_masters")


@pytest.fixture(scope="module", params=NAMES)
def asked(request: pytest.FixtureRequest, rendering: Rendering) -> tuple[str, Rendered]:
    applied = rendering(request.param)  # made the certificates that are asked for
    return request.param, render(file_of(request.param), applied.root, "verify.yml", "verify")


def of(rendered: Rendered, phase: str, node: str = "master1") -> dict[str, Any]:
    found: dict[str, Any]
    (found,) = [call["args"] for call in rendered.of("atoll_verify") if (call["phase"], call["host"]) == (phase, node)]
    return found


def test_every_phase_is_asked_where_it_belongs_and_nothing_is_made(asked: tuple[str, Rendered]) -> None:
    name, rendered = asked
    # What is in the registry is asked from here, by the action that pushes it.
    by = {(call["phase"], call["host"]) for call in (*rendered.of("atoll_verify"), *rendered.of("atoll_push"))}
    assert by == {(step.phase, step.node) for step in everything(load(file_of(name), installed=False)).steps}
    making = {"atoll_files", "atoll_units", "atoll_objects", "atoll_packages", "atoll_kubeadm", "atoll_record"}
    assert not making & {call["module"] for call in rendered.calls}


def test_devices_and_mounts_are_asked_for_where_there_are_some(asked: tuple[str, Rendered]) -> None:
    name, rendered = asked
    cluster = load(file_of(name), installed=False)
    tree = [f"/mnt/atoll/{each}" for each in ("home", "vc", "datasets", "models", "logs")]
    mounts = [] if cluster.storage.driver == "local" else tree
    assert of(rendered, "storage_client", cluster.first_master.name)["mounts"] == mounts
    if name == REFERENCE:
        offered = {"worker1": {"nvidia.com/gpu": 8}, "worker2": {"huawei.com/Ascend910": 8}}
        assert of(rendered, "accelerators")["allocatable"] == offered


def test_the_portal_is_asked_by_its_name_with_the_certificates_of_the_cluster(asked: tuple[str, Rendered]) -> None:
    name, rendered = asked
    (portal,) = of(rendered, "platform", load(file_of(name), installed=False).first_master.name)["urls"]
    assert portal["ca"] == "/etc/atoll/pki/ca.crt"
    assert not portal.get("trust")


def test_each_master_is_asked_how_full_its_etcd_is(asked: tuple[str, Rendered]) -> None:
    name, rendered = asked
    masters = [node.name for node in load(file_of(name), installed=False).nodes if node.is_master]
    stores = {(node, store["what"]) for node in masters for store in of(rendered, "control_plane", node)["stores"]}
    assert stores == {(node, "etcd") for node in masters}, "nobody hears that etcd fills"
