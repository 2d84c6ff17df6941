"""What the roles tell services and policies of privileged jobs and of networks that stay closed. Needs nothing."""

from __future__ import annotations

import yaml

from tests.unit.workloads.conftest import Rendered


def test_no_job_is_root_by_default_and_the_networks_of_pods_and_services_are_known_as_closed(
    rendered: Rendered,
) -> None:
    from atoll.configuration import Configuration

    own = ["10.244.0.0/16", "10.96.0.0/16", "10.77.0.11/32", "10.77.0.31/32"]
    for service in ("api", "jobs"):
        found = yaml.safe_load(rendered.one("ConfigMap", f"{service}-config")["data"]["config.yaml"])
        engine = Configuration.model_validate(found).engine
        assert engine.privileged_jobs is False, f"{service} lets jobs be root"
        assert engine.networks == own, f"{service} takes hosts of the cluster for strangers'"
    shut = {
        (policy["metadata"]["name"], each["name"]): each["expression"]
        for policy in rendered.objects()
        if policy["kind"] == "ValidatingAdmissionPolicy"
        for each in policy["spec"].get("variables", ())
    }
    for policy in ("atoll-tasks", "atoll-virtual-clusters", "atoll-jobs-stay-in-virtual-clusters"):
        assert shut[policy, "privileged"] == "false", f"{policy} lets jobs be root"
    closed = yaml.safe_load(shut["atoll-jobs-stay-in-virtual-clusters", "shut"])
    assert closed == [*own, "127.0.0.0/8", "169.254.0.0/16"], "jobs could open hosts of the cluster"
