"""Who goes first when all want more processor time than there is. Needs nothing."""

from __future__ import annotations

from atoll import quantities

from .conftest import Rendered


def test_who_has_somebody_waiting_outweighs_all_others_when_a_master_has_too_little_for_all(rendered: Rendered) -> None:
    """By weights alone: with 60m of the API and 80m of the database, a list took three times as long under load."""
    cpu = {
        name: sum(quantities.parse(each["resources"]["requests"]["cpu"]) for each in template["spec"]["containers"])
        for name, template in rendered.workloads()
        if name not in ("Deployment coredns", "Deployment cluster-dns")
    }
    waited_for = {"Deployment api", "StatefulSet database"}
    most_of_others = max(value for name, value in cpu.items() if name not in waited_for | {"DaemonSet gateway"})
    assert min(cpu[name] for name in waited_for) >= 4 * most_of_others
    assert cpu["DaemonSet gateway"] >= most_of_others
    assert sum(cpu.values()) < 1, "it fits beside Kubernetes' own on a machine with two processors"
