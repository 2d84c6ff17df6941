"""The rows of Services in the table of ports, held against the network policies that are rendered. Needs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from installer.cluster import load
from installer.cluster.listeners import Binds, Listener, Who
from installer.cluster.ports import listeners

from .conftest import REFERENCE, Rendered, file_of

KUBERNETES = "default/kubernetes"  # API servers, on their nodes' network: no policy holds it, but the nodes' rules
# What no phase renders here: kubeadm's Service, and those of the manifests in a bundle. Each port with its pod's.
OTHERS = {
    "kube-system/kube-dns": ((53, 53, "TCP"), (53, 53, "UDP"), (9153, 9153, "TCP")),
    "kueue-system/kueue-webhook-service": ((443, 9443, "TCP"),),
    "kueue-system/kueue-controller-manager-metrics-service": ((8443, 8443, "TCP"),),
    "kueue-system/kueue-visibility-server": ((443, 8082, "TCP"),),
    "jobset-system/jobset-webhook-service": ((443, 9443, "TCP"),),
    "jobset-system/jobset-controller-manager-metrics-service": ((8443, 8443, "TCP"),),
}
LABELS = {"kube-system": {"k8s-app": "kube-dns"}, "kueue-system": {}, "jobset-system": {}}
NAME = "app.kubernetes.io/name"
Pod = tuple[dict[str, str], dict[str, int]]  # labels, and numbers by the names of its ports


def test_each_row_of_a_service_says_whom_its_network_policies_let_in(rendered: Rendered) -> None:
    cluster = load(file_of(REFERENCE))
    rows = [row for row in listeners(cluster) if row.binds is Binds.PODS and row.program != KUBERNETES]
    services = {name(item): item for item in [*rendered.objects(), *others()] if item["kind"] == "Service"}
    assert {row.program for row in rows} == {each for each, item in services.items() if has_address(item)}
    masters = {f"{master.address}/32" for master in cluster.masters}
    told = {place(row): (set(row.who), set(row.callers)) for row in rows}
    assert told == {place(row): let_in(rendered, services[row.program], row, masters) for row in rows}


def let_in(rendered: Rendered, service: dict[str, Any], row: Listener, masters: set[str]) -> tuple[set[Who], set[str]]:
    """Who may come to the pods of a Service, by the policies that are about them."""
    namespace = service["metadata"]["namespace"]
    (port,) = [
        each
        for each in service["spec"]["ports"]
        if (each["port"], each.get("protocol", "TCP").lower()) == (row.first, row.protocol)
    ]
    labels, ports = the_pod(rendered, namespace, service["spec"]["selector"])
    target = port.get("targetPort", port["port"])
    numbers = {target, ports.get(target, target)}
    rules = [
        rule
        for policy in rendered.objects()
        if policy["kind"] == "NetworkPolicy" and policy["metadata"]["namespace"] == namespace
        if policy["spec"]["podSelector"].get("matchLabels", {}).items() <= labels.items()
        for rule in policy["spec"].get("ingress", ())
        if "ports" not in rule
        or any(
            each["port"] in numbers and each.get("protocol", "TCP").lower() == row.protocol for each in rule["ports"]
        )
    ]
    if any("from" not in rule for rule in rules):
        return {Who.NODES, Who.PODS, Who.TASKS}, set()
    peers = [peer for rule in rules for peer in rule["from"]]
    blocks = {peer["ipBlock"]["cidr"] for peer in peers if "ipBlock" in peer}
    assert blocks in (set(), masters)
    callers = {
        caller
        for peer in peers
        if "ipBlock" not in peer
        for caller in named(rendered, namespace, peer)
    }  # fmt: skip
    return ({Who.MASTERS} if blocks else set()) | ({Who.PODS} if callers else set()), callers


def named(rendered: Rendered, namespace: str, peer: dict[str, Any]) -> Iterator[str]:
    """The pods that a policy means, by their names; a name of no pod that there is counts as one."""
    asked = peer.get("namespaceSelector", {}).get("matchLabels", {"kubernetes.io/metadata.name": namespace})
    assert set(asked) == {"kubernetes.io/metadata.name"}, "a policy that means several name spaces"
    wanted = peer["podSelector"]["matchLabels"]
    found = [
        labels[NAME]
        for where, labels, _ in pods(rendered)
        if where == asked["kubernetes.io/metadata.name"] and wanted.items() <= labels.items()
    ]
    yield from found or [str(wanted)]


def the_pod(rendered: Rendered, namespace: str, selector: dict[str, str]) -> Pod:
    """The pod behind a Service, by its name: what else is asked of it (the primary's mark) it has as it runs."""
    if namespace in LABELS:
        return selector, {}
    (found,) = [
        (labels, ports)
        for where, labels, ports in pods(rendered)
        if where == namespace and labels.get(NAME) == selector[NAME]
    ]
    return found


def others() -> Iterator[dict[str, Any]]:
    """Services that are not rendered."""
    for each, ports in OTHERS.items():
        namespace, _, service = each.partition("/")
        shown = [{"port": port, "targetPort": target, "protocol": protocol} for port, target, protocol in ports]
        spec = {"selector": LABELS[namespace], "ports": shown}
        yield {"kind": "Service", "metadata": {"namespace": namespace, "name": service}, "spec": spec}


def pods(rendered: Rendered) -> Iterator[tuple[str, dict[str, str], dict[str, int]]]:
    """Every pod that something makes: its name space, its labels, and its ports by name."""
    for item in rendered.objects():
        if item["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
            template = item["spec"]["template"]
            containers = template.get("spec", {}).get("containers", [])
            ports = {each["name"]: each["containerPort"] for one in containers for each in one.get("ports", ())}
            yield item["metadata"]["namespace"], template.get("metadata", {}).get("labels", {}), ports


def has_address(service: dict[str, Any]) -> bool:
    return bool(service["spec"].get("clusterIP", "") != "None")


def name(item: dict[str, Any]) -> str:
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"


def place(row: Listener) -> str:
    return f"{row.program} {row.ports}/{row.protocol}"
