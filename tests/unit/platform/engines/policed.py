"""A pod, its node and a master in network name spaces of this process's own: run by test_entry.py, given entry.py.

Prints as JSON, for each state of the network, what the pod is answered at the gateway, and whether a task would start.
"""

from __future__ import annotations

import json
import subprocess
import sys

ENTRY = sys.argv[1]
GATEWAY, API, DNS = "10.50.0.11:443", "10.50.0.11:6443", "10.50.0.11:53"
SERVERS = """
import selectors, socket, sys
watched = selectors.DefaultSelector()
for port in map(int, sys.argv[1:]):
    one = socket.create_server(("10.50.0.11", port))
    watched.register(one, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for key, _ in watched.select():
        key.fileobj.accept()[0].close()
"""
ASKING = f"""
import json, os, runpy
entry = runpy.run_path({ENTRY!r})
entry["main"].__globals__.update(POLICY_TIMEOUT_S=1.0, LONGEST_HOLD_S=1.0)
os.environ.update(ATOLL_HOLD_WHILE_REACHABLE={API!r}, ATOLL_HOLD_UNTIL_REJECTED={GATEWAY!r},
                  ATOLL_HOLD_UNTIL_REACHABLE={DNS!r})
output = entry["Output"](None)
output.say = lambda text: None
print(json.dumps([entry["ask"]({GATEWAY!r}), entry["wait_for_policy"](output)]))
"""
ICMP = "reject with icmp port-unreachable"
RULES = {
    "everything answers": "",
    "the servers are down": "",
    "the master drops": "",
    "the node rejects all": f"ip saddr 10.9.0.2 {ICMP}",
    "the node rejects by a reset": "tcp dport { 443, 6443 } reject with tcp reset",
    "the policy is live": f"ip saddr 10.9.0.2 tcp dport != 53 {ICMP}",
    "the policy is live and the servers are down": f"ip saddr 10.9.0.2 tcp dport != 53 {ICMP}",
}


def run(*argv: str, stdin: str | None = None) -> str:
    return subprocess.run(argv, check=True, input=stdin, text=True, stdout=subprocess.PIPE).stdout


def inside(name: str, *argv: str, stdin: str | None = None) -> str:
    return run("ip", "netns", "exec", name, *argv, stdin=stdin)


def table(hook: str, rule: str) -> str:
    own = f"table ip t {{ chain c {{ type filter hook {hook} priority 0;\n{rule}\n}}\n}}\n"
    return f"table ip t\ndelete table ip t\n{own}"


def cable(name: str, here: str, there: str) -> None:
    run("ip", "netns", "add", name)
    run("ip", "link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "netns", name)
    run("ip", "address", "add", f"{here}/24", "dev", name)
    run("ip", "link", "set", name, "up")
    inside(name, "ip", "address", "add", f"{there}/24", "dev", "eth0")
    inside(name, "ip", "link", "set", "eth0", "up")
    inside(name, "ip", "route", "add", "default", "via", here)


def main() -> None:
    """Make the cables, and ask in every state."""
    run("mount", "-t", "tmpfs", "none", "/run")
    cable("pod", "10.9.0.1", "10.9.0.2")
    cable("machine", "10.50.0.1", "10.50.0.11")
    run("sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
    run("sysctl", "-q", "-w", "net.ipv4.icmp_ratelimit=0")  # one state after the other, by the same two machines
    found = {}
    for state, rule in RULES.items():
        ports = ["53"] if "down" in state else ["53", "443", "6443"]
        argv = ["ip", "netns", "exec", "machine", sys.executable, "-c", SERVERS, *ports]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as servers:
            assert servers.stdout is not None
            assert servers.stdout.readline() == "ready\n"
            run("nft", "-f", "-", stdin=table("forward", rule))
            drops = "tcp dport { 443, 6443 } drop" if state == "the master drops" else ""
            inside("machine", "nft", "-f", "-", stdin=table("input", drops))
            found[state] = json.loads(inside("pod", sys.executable, "-c", ASKING))
            servers.kill()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
