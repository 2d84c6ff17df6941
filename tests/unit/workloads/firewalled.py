"""A node, a pod of it and a stranger, in network name spaces of this process's own: run by test_firewall.py.

Loads the rules that are given on stdin, listens on the node and in the pod, and prints as JSON which ways are open: by
address of the one who comes (4: a node's, a master's, a pod's, a stranger's; 6: link-local) and by port.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

NODE, NODE6 = "10.77.0.21", "fe80::21"
COMERS = {"node": "10.77.0.22", "master": "10.77.0.11", "pod": "10.244.9.9", "stranger": "10.77.0.99"}
STRANGER6 = "fe80::99"
PORTS = [int(word) for word in sys.argv[1:]]
LED = [443, 31080]
ANSWER_S = 1.0
# Where what is for a pod goes, by the chain that it passes: to the node itself (a pod of its network, by an address of
# kube-bridge), or on to one behind kube-bridge. The address of each, of a Service that leads to it, and of the node
# where ports lead to it.
BEHIND = {"input": ("10.244.3.3", "10.96.0.10", NODE), "forward": ("10.244.3.4", "10.96.0.11", "10.77.0.20")}
POD = BEHIND["forward"][0]
TOLD = 7777


def run(*argv: str, stdin: str | None = None) -> None:
    subprocess.run(argv, check=True, input=stdin, text=True)


def listen() -> list[socket.socket]:
    made = []
    for port in PORTS:
        one = socket.socket(socket.AF_INET6)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("::", port))
        one.listen()
        made.append(one)
    return made


COMING = """
import json, socket, sys
from concurrent.futures import ThreadPoolExecutor
comers, ports, node, node6, stranger6, answer_s, led, behind, told = json.loads(sys.argv[1])
def comes(family, source, target):
    with socket.socket(family) as one:
        one.settimeout(answer_s)
        one.bind(source)
        try:
            one.connect(target)
        except OSError:
            return False
        return True
def hears(address):
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        one.settimeout(answer_s)
        one.bind((address, told))
        try:
            return bool(one.recv(9))
        except TimeoutError:
            return False
scope = socket.if_nametoindex("eth0")
tried = [(who, port, socket.AF_INET, (address, 0), (node, port)) for who, address in comers.items() for port in ports]
tried += [("ipv6", port, socket.AF_INET6, (stranger6, 0, 0, scope), (node6, port, 0, scope)) for port in ports]
for chain, (pod, service, door) in behind.items():
    # Through the node as a router, to what is behind it: pods and services.
    tried += [(f"{chain} {name}", who, socket.AF_INET, (comers[who], 0), (address, ports[0]))
              for name, address in (("to a pod", pod), ("to a service", service)) for who in comers]
    # A port of the node that leads to a pod, as a node port and a host port do.
    tried += [(f"{chain} by a port that leads to a pod {port}", who, socket.AF_INET, (comers[who], 0), (door, port))
              for port in led for who in comers]
found = {name: [] for name, *_ in tried}
with ThreadPoolExecutor(len(tried) + len(comers)) as pool:  # whom the rules drop waits in vain: all at once
    heard = pool.map(hears, comers.values())
    came = pool.map(lambda one: comes(*one[2:]), tried)
for (name, what, *_), open_ in zip(tried, came):
    if open_:
        found[name].append(what)
found["packets of a pod come to"] = [who for who, open_ in zip(comers, heard) if open_]
print(json.dumps(found))
"""
# Tells everybody something by UDP until its input ends, and says whose packets of TCP came: it begins none itself, so
# these are no answers.
IN_POD = """
import json, select, socket, sys
comers, port, told = json.loads(sys.argv[1])
open_ = socket.create_server(("0.0.0.0", port))
seen = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
telling = socket.socket(type=socket.SOCK_DGRAM)
print("ready", flush=True)
came, ended = set(), False
while not ended:
    ended = bool(select.select([sys.stdin], [], [], 0.05)[0])
    for address in comers.values():
        telling.sendto(b"something", (address, told))
    while select.select([seen], [], [], 0)[0]:
        packet = seen.recv(64)
        if packet[9] == socket.IPPROTO_TCP:
            came.add(socket.inet_ntoa(packet[12:16]))
print(json.dumps([who for who, address in comers.items() if address in came]))
"""


def make_cable() -> None:
    """The node and the stranger, who is everybody that comes."""
    run("ip", "netns", "add", "stranger")
    run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", "stranger")
    for address in (NODE, BEHIND["forward"][2]):
        run("ip", "address", "add", f"{address}/24", "dev", "eth0")
    run("ip", "address", "add", f"{NODE6}/64", "dev", "eth0", "nodad")
    run("ip", "link", "set", "eth0", "up")
    away = ("ip", "-n", "stranger")
    for address in COMERS.values():
        run(*away, "address", "add", f"{address}/32", "dev", "eth0")
    run(*away, "address", "add", f"{STRANGER6}/64", "dev", "eth0", "nodad")
    run(*away, "link", "set", "eth0", "up")
    run(*away, "link", "set", "lo", "up")
    for _, _, address in BEHIND.values():
        run(*away, "route", "add", f"{address}/32", "dev", "eth0")
    for network in ("10.244.3.0/24", "10.96.0.0/16"):
        run(*away, "route", "add", network, "via", NODE, "dev", "eth0")
    for address in COMERS.values():
        run("ip", "route", "replace", f"{address}/32", "dev", "eth0")


def make_pods() -> None:
    """One in a name space of its own, and an address of one that has the node's."""
    run("ip", "link", "add", "kube-bridge", "type", "bridge")
    run("ip", "address", "add", "10.244.3.1/24", "dev", "kube-bridge")
    run("ip", "address", "add", f"{BEHIND['input'][0]}/32", "dev", "kube-bridge")
    run("ip", "link", "set", "kube-bridge", "up")
    run("ip", "netns", "add", "pod")
    run("ip", "link", "add", "vethpod", "type", "veth", "peer", "name", "eth0", "netns", "pod")
    run("ip", "link", "set", "vethpod", "master", "kube-bridge", "up")
    inside = ("ip", "-n", "pod")
    run(*inside, "address", "add", f"{POD}/24", "dev", "eth0")
    run(*inside, "link", "set", "eth0", "up")
    run(*inside, "route", "add", "default", "via", "10.244.3.1")
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")


def lead() -> None:
    """As kube-proxy does it: a service leads to a pod before anything is filtered."""
    hook = "type nat hook prerouting priority dstnat;"
    for pod, service, door in BEHIND.values():
        hook += f" ip daddr {service} dnat to {pod};"
        hook += "".join(f" ip daddr {door} tcp dport {port} dnat to {pod}:{PORTS[0]};" for port in LED)
    run("nft", "-f", "-", stdin=f"table ip services {{ chain c {{ {hook} }}; }}")


def within(name: str, program: str, *given: Any) -> subprocess.Popen[str]:
    """Start a program in another name space."""
    argv = ["ip", "netns", "exec", name, sys.executable, "-c", program, json.dumps(given)]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said(by: subprocess.Popen[str]) -> Any:
    """What it prints at its end, which that of its input may bring about."""
    told, _ = by.communicate()
    assert by.returncode == 0, f"exit {by.returncode}"
    return json.loads(told)


def main() -> None:
    """Make the cables, load the rules, and let everybody come."""
    run("mount", "-t", "tmpfs", "none", "/run")
    run("ip", "link", "set", "lo", "up")
    make_cable()
    make_pods()
    lead()
    run("nft", "-f", "-", stdin=sys.stdin.read())
    sockets = listen()
    pod = within("pod", IN_POD, COMERS, PORTS[0], TOLD)
    assert pod.stdout is not None
    assert pod.stdout.readline() == "ready\n"
    found = said(within("stranger", COMING, COMERS, PORTS, NODE, NODE6, STRANGER6, ANSWER_S, LED, BEHIND, TOLD))
    found["packets come to a pod of"] = said(pod)
    for one in sockets:
        one.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
