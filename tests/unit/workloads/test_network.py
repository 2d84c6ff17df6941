"""The network of pods: who may what by the token that lies on every node, IPv6, and BGP among nodes. Needs nothing."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import yaml

from .conftest import TREE, Rendered

EDITS = TREE / "platform/packaging/kube-router/edits.yaml"


def test_what_lies_on_every_node_only_reads(rendered: Rendered) -> None:
    role = rendered.one("ClusterRole", "kube-router")
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list", "watch"}
    resources = {resource for rule in role["rules"] for resource in rule["resources"]}
    assert not resources & {"secrets", "configmaps", "*"}
    bound = [
        item["roleRef"]["name"]
        for item in rendered.objects("network")
        if item["kind"].endswith("RoleBinding") and item["subjects"][0]["name"] == "kube-router"
    ]
    assert bound == ["kube-router"]


def test_neither_a_pod_nor_its_bridge_has_ipv6_which_no_policy_filters(rendered: Rendered) -> None:
    plugins = json.loads(rendered.one("ConfigMap", "kube-router")["data"]["cni-conf.json"])["plugins"]
    kinds = [plugin["type"] for plugin in plugins]
    assert "tuning" in kinds, kinds
    # The interface is the bridge plugin's: what sets it right comes behind.
    assert kinds.index("bridge") < kinds.index("tuning")
    assert plugins[kinds.index("tuning")]["sysctl"] == {
        "net.ipv6.conf.default.disable_ipv6": "1",
        "net.ipv6.conf.IFNAME.disable_ipv6": "1",
    }
    bridge = plugins[kinds.index("bridge")]["bridge"]
    (put,) = edited("IPv6")
    assert f'"/proc/sys/net/ipv6/conf/{bridge}/disable_ipv6"' in put
    assert 'os.WriteFile(ipv6, []byte("1"), ' in put


def test_bgp_takes_no_calls_and_no_session_without_the_password(rendered: Rendered) -> None:
    assert edited("gRPC") == ["err := nrc.startBgpServer(false)"]
    assert "AuthPassword:    nrc.meshPassword," in "".join(edited("session"))
    (container,) = rendered.one("DaemonSet", "kube-router")["spec"]["template"]["spec"]["containers"]
    named = {variable["name"]: variable.get("value") for variable in container["env"]}
    read_from = "".join(edited("password"))
    assert 'os.ReadFile(os.Getenv("KUBE_ROUTER_MESH_PASSWORD_FILE"))' in read_from
    told = named.get("KUBE_ROUTER_MESH_PASSWORD_FILE")
    assert told, "it is told where the password lies by KUBE_ROUTER_MESH_PASSWORD_FILE"
    file = Path(told)
    assert named["GODEBUG"] == "multipathtcp=0", "TCP_MD5SIG fails on Go's multipath listeners"
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {
        one["name"]: one for one in rendered.one("DaemonSet", "kube-router")["spec"]["template"]["spec"]["volumes"]
    }
    secret = volumes[mounts[str(file.parent)]]["secret"]["secretName"]
    assert rendered.one("Secret", secret)["data"][file.name]


def test_no_service_and_no_policy_goes_by_what_a_kubelet_may_say(rendered: Rendered) -> None:
    """Whoever holds a node's certificate makes pods with the labels of static pods, and no others."""
    policy = rendered.one("ValidatingAdmissionPolicy", "atoll-static-pods")["spec"]
    (known,) = [ast.literal_eval(one["expression"]) for one in policy["variables"] if one["name"] == "known"]
    selectors = [(item["metadata"]["name"], one) for item in rendered.objects() for one in chosen(item)]
    assert {"api", "files", "database"} <= {name for name, _ in selectors}
    taken = {name for name, one in selectors for pod in known.values() if one and one.items() <= pod.items()}
    assert not taken
    (control,) = [
        yaml.safe_load(file.text or "") for file in rendered.files if file.dest.endswith("manifests/control.yaml")
    ]
    assert known.pop("control") == control["metadata"]["labels"], "what is refused to the role's own pod"
    assert known == {
        name: {"component": name, "tier": "control-plane"}
        for name in ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
    }


def chosen(item: dict[str, Any]) -> list[dict[str, str]]:
    """The labels by which a Service or a network policy knows pods."""
    if item["kind"] == "Service":
        return [item["spec"].get("selector", {})]
    if item["kind"] != "NetworkPolicy":
        return []
    rules = [*item["spec"].get("ingress", ()), *item["spec"].get("egress", ())]
    peers = [peer for rule in rules for peer in (*rule.get("from", ()), *rule.get("to", ()))]
    selectors = [item["spec"]["podSelector"], *(peer["podSelector"] for peer in peers if "podSelector" in peer)]
    assert not [one for one in selectors if "matchExpressions" in one], "this reads no expressions"
    return [one.get("matchLabels", {}) for one in selectors]


def edited(why: str) -> list[str]:
    """What is put into kube-router's source for a reason with this word."""
    edits: list[dict[str, Any]] = yaml.safe_load(EDITS.read_text("utf-8"))
    return [edit["put"] for edit in edits if why in edit["why"]]
