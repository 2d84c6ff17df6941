"""What the API server is told of who asks, and what becomes of the tokens that nodes join with. Needs nothing."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from .conftest import REFERENCE, Rendered, Rendering


def test_the_api_server_is_told_whom_to_answer_and_what_to_write_down(rendered: Rendered) -> None:
    texts = {file.dest: file.text or "" for file in rendered.files if file.host == "master1"}
    anonymous = yaml.safe_load(texts["/etc/atoll/kubernetes/authentication.yaml"])["anonymous"]
    assert [condition["path"] for condition in anonymous["conditions"]] == ["/livez", "/readyz", "/healthz"]
    configuration = yaml.safe_load_all(texts["/etc/atoll/kubeadm/init.yaml"])
    (cluster,) = [one for one in configuration if one["kind"] == "ClusterConfiguration"]
    flags = {flag["name"]: flag["value"] for flag in cluster["apiServer"]["extraArgs"]}
    assert flags["authentication-config"] == "/etc/atoll/kubernetes/authentication.yaml"
    assert flags["audit-policy-file"] in texts


def test_exec_and_reads_of_secrets_are_written_down_before_reads_and_noise_are_dropped(rendered: Rendered) -> None:
    asked = (("get", "pods/exec"), ("create", "pods/attach"), ("list", "secrets"), ("list", "pods"))
    found = levels(rendered, asked)
    assert found == ["Metadata", "Metadata", "Metadata", "None"], found


def test_tokens_and_writes_to_nodes_are_written_down_whoever_it_is(rendered: Rendered) -> None:
    asked = (
        ("create", "serviceaccounts/token"),
        ("create", "certificatesigningrequests"),
        ("update", "certificatesigningrequests/approval"),
        *((verb, "nodes") for verb in ("create", "update", "patch", "delete")),
    )
    found = levels(rendered, asked)
    assert found == ["Metadata"] * len(asked), found
    noise = (("patch", "nodes/status"), ("get", "nodes"), ("update", "leases"), ("watch", "certificatesigningrequests"))
    assert levels(rendered, noise) == ["None"] * len(noise)


def levels(rendered: Rendered, asked: tuple[tuple[str, str], ...]) -> list[str]:
    """How much is written of each: verb and resource, asked by a node or an account of the system."""
    (text,) = [file.text or "" for file in rendered.files if file.dest == "/etc/atoll/kubernetes/audit.yaml"]
    rules = yaml.safe_load(text)["rules"]
    found = {
        group: [next(rule["level"] for rule in rules if audits(rule, group, *one)) for one in asked]
        for group in ("system:nodes", "system:serviceaccounts:kube-system")
    }
    one, other = found.values()
    assert one == other, found
    return one


def audits(rule: dict[str, Any], group: str, verb: str, name: str) -> bool:
    """Whether a rule is about what is done by a group whose other doings are noise."""
    names = {name for group in rule.get("resources", ()) for name in group["resources"]}
    groups = rule.get("userGroups", [group]) if "users" not in rule else []
    about = not names or bool(names & {name, f"{name.partition('/')[0]}/*"})
    return group in groups and verb in rule.get("verbs", [verb]) and about


def test_a_node_that_joins_says_who_it_is_before_it_is_told_anything(rendered: Rendered) -> None:
    found = [yaml.safe_load(file.text or "") for file in rendered.files if file.dest.endswith("/discovery.conf")]
    assert len(found) == 3
    assert [set(one["users"][0]["user"]) for one in found] == [{"token"}] * 3
    assert {len(one["users"][0]["user"]["token"]) for one in found} == {23}


@pytest.mark.parametrize(("phase", "shape"), [("control_plane", "three_masters"), ("node", REFERENCE)])
def test_the_token_of_who_has_joined_is_taken_back_in_the_same_phase(
    rendering: Rendering, phase: str, shape: str
) -> None:
    """Who is root where it lies could become another node with it, a master too."""
    calls = [call for call in rendering(shape).calls if call["phase"] == phase]
    joined = {call["host"] for call in calls if call["args"].get("verb") == "join"}
    assert joined
    labelled = [call for call in calls if call["module"] == "atoll_node_labels" and call["args"].get("joined")]
    assert {name for call in labelled for name in call["args"]["nodes"]} >= joined, "who joins gives its token back"
    last = {call["host"]: call["module"] for call in calls if call["module"] != "atoll_record"}
    assert {last[host] for host in joined} == {"atoll_node_labels"}
