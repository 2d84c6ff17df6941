"""What this version does not carry out is told before anything is changed. Needs nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from installer.cluster import TREE, loads
from installer.cluster.drivers import STORAGE, not_yet
from installer.preflight.support import check_support

REAL = """
name: real
nodes:
  - {name: m1, address: 10.0.0.11, roles: [master]}
  - {name: w1, address: 10.0.0.21, accelerators: [{type: nvidia_gpu_amd64, count: 8}]}
  - {name: s1, address: 10.0.0.31, roles: [storage]}
"""


def test_the_reference_cluster_is_carried_out_in_full() -> None:
    assert check_support(loads((TREE / "cluster.example.yaml").read_text())) == []


def test_real_cards_are_told_to_lack_their_plugin_and_do_not_stop_an_install() -> None:
    (found,) = check_support(loads(REAL))
    assert found.severity == "warning"
    assert "device plugin" in found.evidence


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("  - {name: s2, address: 10.0.0.32, roles: [storage]}", "GlusterFS on 2 storage nodes"),
        ("registry: {nodes: [m1, s1]}", "registry on several nodes"),
    ],
)
def test_what_no_role_carries_out_stops_an_install(more: str, said: str) -> None:
    found = [one for one in check_support(loads(f"{REAL}{more}\n")) if one.severity == "error"]
    assert len(found) == 1
    assert said in found[0].evidence
    assert found[0].remedy


def test_a_driver_that_no_role_carries_out_stops_an_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever that is: here the one of the reference is said to be."""
    cluster = loads((TREE / "cluster.example.yaml").read_text())
    name = cluster.storage.driver
    refusal = not_yet("storage.driver", name, "Use another.")
    monkeypatch.setitem(STORAGE, name, replace(STORAGE[name], refusal=refusal))
    (found,) = check_support(cluster)
    assert (found.severity, found.remedy) == ("error", "Use another.")
    assert found.evidence == f"`storage.driver: {name}` is not carried out yet"
