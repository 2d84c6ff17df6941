"""The table of device types: what holds of every row, and that it is the only place that knows one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from atoll.accelerators.devices import Model
from atoll.accelerators.settings import Settings

from installer.cluster import DEVICE_TYPES
from installer.cluster.devices import __file__ as table
from installer.cluster.drivers import card_labels, card_plugins

TREE = Path(__file__).parents[3]
FACTS = {
    fact
    for device in DEVICE_TYPES.values()
    for fact in (
        *(device.name, device.resource, device.visible_devices, device.discovery, device.title),
        *(device.vendor, device.kind, device.pretence.product),
    )
}
# Words that say something else, or what stood in the database or on a bus before anybody could ask a row.
ELSEWHERE = {
    "installer/preflight/probe.py": "looks for cards on the bus, by driver; runs on the node alone",
    "installer/cluster/drivers.py": "its drivers are called like vendors",
    "platform/atoll/accelerators/metrics.py": "what the vendors' exporters call their measurements",
    "platform/atoll/files/examples/devices/hold.py": "an example of users: it prints what it finds",
}


def code() -> list[Path]:
    found = [path for room in ("installer", "platform/atoll", "plugins") for path in (TREE / room).rglob("*.py")]
    # A manifest has examples of requests, for the matrix of permissions.
    return [path for path in found if {"migrations", "domain.py"}.isdisjoint(path.parts) and path != Path(table)]


def strings(path: Path) -> set[str]:
    """Every string of a module that is no docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
    }


def test_no_other_module_holds_a_fact_of_a_device_type() -> None:
    found = {str(path.relative_to(TREE)): sorted(strings(path) & FACTS) for path in code()}
    holders = {name: facts for name, facts in found.items() if facts}
    assert {name: facts for name, facts in holders.items() if name not in ELSEWHERE} == {}
    assert ELSEWHERE.keys() <= holders.keys(), "an exception that is none any more"


def test_no_role_holds_a_fact_of_a_device_type_or_asks_for_a_driver_of_cards() -> None:
    facts = {fact for fact in FACTS if len(fact) > 4} | {"== 'simulated'", "'equalto', 'simulated'"}
    found = [
        (str(path.relative_to(TREE)), fact)
        for path in (TREE / "roles").rglob("*")
        if path.is_file() and "meta" not in path.parts
        for fact in facts
        if fact in path.read_text(encoding="utf-8")
    ]
    assert found == []


@pytest.mark.parametrize("name", DEVICE_TYPES)
def test_cards_are_given_out_within_their_groups_or_by_whole_groups(name: str) -> None:
    device = DEVICE_TYPES[name]
    counts = {*device.task_counts, *device.distributed_counts, *device.node_counts}
    assert all(count <= device.group or count % device.group == 0 for count in counts)


def test_ascend_cards_are_given_out_in_whole_rings() -> None:
    for device in (device for device in DEVICE_TYPES.values() if device.driver == "ascend"):
        assert (device.task_counts, device.distributed_counts, device.group) == ((0, 1, 2, 4, 8), (8,), 4)


@pytest.mark.parametrize("name", DEVICE_TYPES)
def test_the_plugin_of_simulated_cards_understands_what_it_is_told(name: str) -> None:
    told = card_plugins()["simulated"][name]
    settings = Settings.model_validate({"model": told, "count": 2, "node": "n"})
    assert settings.model == Model.model_validate(DEVICE_TYPES[name].pretended())


def test_labels_that_atoll_sets_are_owned_by_it() -> None:
    labels = card_labels()
    for types in labels["set"].values():
        for found in types.values():
            assert all(label.startswith(tuple(labels["owned"])) for label in found)
    assert labels["set"]["simulated"]["nvidia_gpu_amd64"]["nvidia.com/gpu.product"] == "Simulated-A100"
    assert labels["set"]["nvidia"]["nvidia_gpu_amd64"] == {}
