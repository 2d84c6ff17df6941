"""What listens in the pods of the system is what they declare: others go by that."""

from __future__ import annotations

from installer.cluster import load
from tests.system.harness import CLUSTER_FILE, Atoll
from tests.system.test_28_access import listening as pod_ports

# Each name space of a pod's network: its address, then what listens there.
IN_PODS = """
for place in $(ls -d /run/netns/* 2>/dev/null); do
    name=$(basename "$place")
    echo "pod $(ip netns exec "$name" ip -4 -brief address show dev eth0 2>/dev/null | awk '{print $3}')"
    ip netns exec "$name" ss --no-header --tcp --udp --sctp --dccp --listening --numeric --processes
done
"""


def test_what_listens_in_a_pod_of_the_system_is_declared(atoll: Atoll) -> None:
    """The tests try the declared ports: one more would be tried by nobody."""
    pods = atoll.kubectl("get", "pods", "-A", "-o", "json").json["items"]
    system = {pod["status"].get("podIP") for pod in pods if not pod["metadata"]["namespace"].startswith("vc-")}
    declared = {f"{protocol} {at}" for protocol in ("tcp", "udp") for at in pod_ports(atoll, protocol.upper())}
    found = {}
    for node in load(CLUSTER_FILE).nodes:
        address = ""
        for line in atoll.node(node.name, "sh", "-c", IN_PODS).out.splitlines():
            words = line.split()
            if words[:1] == ["pod"]:
                address = words[1].partition("/")[0] if len(words) > 1 else ""
            elif address in system:
                local = words[4].rpartition(":")
                if not local[0].startswith(("127.", "[::1]")):
                    found[f"{words[0]} {address}:{local[2]}"] = line
    assert len(found) > 10
    assert {target: line for target, line in found.items() if target not in declared} == {}


def test_nothing_listens_on_a_node_by_a_protocol_of_which_the_table_of_ports_does_not_tell(atoll: Atoll) -> None:
    asked = ("ss", "--no-header", "--sctp", "--dccp", "--listening", "--numeric", "--processes")
    found = {node.name: atoll.node(node.name, *asked).out for node in load(CLUSTER_FILE).nodes}
    assert {name: said for name, said in found.items() if said.strip()} == {}
