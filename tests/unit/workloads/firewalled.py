"""A node and a stranger on one cable, in network name spaces of this process's own: run by test_firewall.py.

Loads the rules that are given on stdin, listens on the node, and prints as JSON which ways in are open: by address of
the one who comes (4: a node's, a master's, a pod's, a stranger's; 6: link-local) and by port.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import Any

NODE, NODE6 = "10.77.0.21", "fe80::21"
COMERS = {"node": "10.77.0.22", "master": "10.77.0.11", "pod": "10.244.9.9", "stranger": "10.77.0.99"}
STRANGER6 = "fe80::99"
PORTS = [int(word) for word in sys.argv[1:]]
LED = [443, 31080]
ANSWER_S = 1.0


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
comers, ports, node, node6, stranger6, answer_s, led = json.loads(sys.argv[1])
def comes(family, source, target):
    with socket.socket(family) as one:
        one.settimeout(answer_s)
        one.bind(source)
        try:
            one.connect(target)
        except OSError:
            return False
        return True
scope = socket.if_nametoindex("eth0")
tried = [(who, port, socket.AF_INET, (address, 0), (node, port)) for who, address in comers.items() for port in ports]
tried += [("ipv6", port, socket.AF_INET6, (stranger6, 0, 0, scope), (node6, port, 0, scope)) for port in ports]
# Through the node as a router, to what is behind it: pods and services.
behind = {"to a pod": "10.244.3.3", "to a service": "10.96.0.10"}
tried += [(name, who, socket.AF_INET, (comers[who], 0), (address, ports[0]))
          for name, address in behind.items() for who in comers]
# A port of the node that leads to a pod, as a node port and a host port do.
tried += [("by a port that leads to a pod " + str(port), who, socket.AF_INET, (comers[who], 0), (node, port))
          for port in led for who in comers]
found = {name: [] for name, *_ in tried}
with ThreadPoolExecutor(len(tried)) as pool:  # whom the rules drop waits in vain: all at once
    came = pool.map(lambda one: comes(*one[2:]), tried)
for (name, what, *_), open_ in zip(tried, came):
    if open_:
        found[name].append(what)
print(json.dumps(found))
"""


def main() -> None:
    """Make the cable, load the rules, and let everybody come."""
    run("mount", "-t", "tmpfs", "none", "/run")
    run("ip", "link", "set", "lo", "up")
    run("ip", "netns", "add", "stranger")
    run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", "stranger")
    run("ip", "address", "add", f"{NODE}/24", "dev", "eth0")
    run("ip", "link", "add", "kube-bridge", "type", "bridge")
    run("ip", "address", "add", "10.244.3.1/24", "dev", "kube-bridge")
    run("ip", "address", "add", "10.244.3.3/32", "dev", "kube-bridge")  # a pod that is not in a name space of its own
    run("ip", "address", "add", f"{NODE6}/64", "dev", "eth0", "nodad")
    run("ip", "link", "set", "eth0", "up")
    run("ip", "link", "set", "kube-bridge", "up")
    away = ("ip", "-n", "stranger")
    for address in COMERS.values():
        run(*away, "address", "add", f"{address}/32", "dev", "eth0")
    run(*away, "address", "add", f"{STRANGER6}/64", "dev", "eth0", "nodad")
    run(*away, "link", "set", "eth0", "up")
    run(*away, "link", "set", "lo", "up")
    run(*away, "route", "add", f"{NODE}/32", "dev", "eth0")
    for network in ("10.244.3.0/24", "10.96.0.0/16"):
        run(*away, "route", "add", network, "via", NODE, "dev", "eth0")
    for address in COMERS.values():
        run("ip", "route", "replace", f"{address}/32", "dev", "eth0")
    # As kube-proxy does it: a service leads to a pod before anything is filtered.
    hook = "type nat hook prerouting priority dstnat; ip daddr 10.96.0.10 dnat to 10.244.3.3;"
    hook += "".join(f" ip daddr {NODE} tcp dport {port} dnat to 10.244.3.3:{PORTS[0]};" for port in LED)
    dnat = f"table ip services {{ chain c {{ {hook} }}; }}"
    run("nft", "-f", "-", stdin=dnat)
    run("nft", "-f", "-", stdin=sys.stdin.read())
    sockets = listen()
    given = json.dumps([COMERS, PORTS, NODE, NODE6, STRANGER6, ANSWER_S, LED])
    asked: Any = subprocess.run(
        ["ip", "netns", "exec", "stranger", sys.executable, "-c", COMING, given],
        check=True,
        capture_output=True,
        text=True,
    )
    for one in sockets:
        one.close()
    print(asked.stdout)


if __name__ == "__main__":
    main()
