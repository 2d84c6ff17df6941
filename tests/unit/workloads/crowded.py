"""A master with a gateway in a pod, and those who come to it, in network name spaces: run by test_crowd.py.

Loads the rules that are given on stdin, and prints as JSON how much of a crowd comes through: connections to the portal
that say nothing, and questions for names.
"""

from __future__ import annotations

import json
import subprocess
import sys

MASTER, GATEWAY, WAY = "10.77.0.11", "10.244.3.2", "10.244.3.1"
COMERS = {
    "node": "10.77.0.22",
    "stranger": "10.77.0.99",
    "other": "10.77.0.98",
    "pod": "10.244.9.9",
    "pod2": "10.244.9.8",
}
CONNECTIONS, QUESTIONS = (int(word) for word in sys.argv[1:])
SERVER = """
import selectors, socket, time
watched = selectors.DefaultSelector()
door = socket.create_server(("", 8443), backlog=1024)
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("", 53))
for one in (door, names):
    watched.register(one, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for key, _ in watched.select():
        if key.fileobj is door:
            watched.register(door.accept()[0], selectors.EVENT_READ)
            continue
        if key.fileobj is not names:  # it says nothing, so that is its end
            watched.unregister(key.fileobj)
            key.fileobj.close()
            continue
        names.sendto(*names.recvfrom(64))  # from the first answer on, the rest belongs to a connection
"""
COMING = """
import json, select, socket, sys, time
comers, connections, questions, master, gateway = json.loads(sys.argv[1])
def come(address, number):
    poll, made = select.poll(), {}
    for _ in range(number):
        one = socket.socket()
        one.setblocking(False)
        one.bind((address, 0))
        one.connect_ex((master, 443))
        poll.register(one, select.POLLOUT)
        made[one.fileno()] = one
    came, until = [], time.monotonic() + 1.5
    while len(came) < number and (left := until - time.monotonic()) > 0:
        for number_of, _ in poll.poll(left * 1000):
            poll.unregister(number_of)
            came.append(made[number_of])
    for one in made.values():
        if one not in came:
            one.close()
    return came
def ask(address, number):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind((address, 0))
        one.settimeout(5)
        one.sendto(b"?", (gateway, 53))
        one.recv(64)
        for count in range(number - 1):
            one.sendto(b"?", (gateway, 53))
found, kept = {}, {}
for who in ("stranger", "other", "node"):
    kept[who] = come(comers[who], connections)
    found[who] = len(kept[who])
for one in kept["stranger"][:10]:
    one.close()
time.sleep(0.2)
found["stranger again"] = len(come(comers["stranger"], 10))
began = time.monotonic()
ask(comers["pod"], questions)
found["took_s"] = time.monotonic() - began
ask(comers["pod2"], 10)
time.sleep(0.3)
print(json.dumps(found))
"""


COUNTED = ("pod", "pod2")


def run(*argv: str, stdin: str | None = None) -> str:
    return subprocess.run(argv, check=True, input=stdin, text=True, stdout=subprocess.PIPE).stdout


def counters() -> str:
    """What comes to the pod, whether or not it reads that fast."""
    made = "".join(f"counter {name} {{ }}\n" for name in COUNTED)
    rules = "".join(f"ip saddr {COMERS[name]} udp dport 53 counter name {name}\n" for name in COUNTED)
    return f"table ip seen {{\n{made}chain c {{ type filter hook input priority 0;\n{rules}}}\n}}\n"


def counted() -> dict[str, int]:
    told = json.loads(run("ip", "netns", "exec", "gateway", "nft", "-j", "list", "counters"))["nftables"]
    return {row["counter"]["name"]: row["counter"]["packets"] for row in told if "counter" in row}


def cable(name: str, here: str) -> None:
    run("ip", "netns", "add", name)
    run("ip", "link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "netns", name)
    run("ip", "address", "add", f"{here}/24", "dev", name)
    run("ip", "link", "set", name, "up")
    run("ip", "-n", name, "link", "set", "eth0", "up")
    run("ip", "-n", name, "link", "set", "lo", "up")


def main() -> None:
    """Make the cables, load the rules, and let the crowd come."""
    run("mount", "-t", "tmpfs", "none", "/run")
    cable("outside", MASTER)
    cable("gateway", WAY)
    run("ip", "-n", "gateway", "address", "add", f"{GATEWAY}/24", "dev", "eth0")
    run("ip", "-n", "gateway", "route", "add", "default", "via", WAY)
    for address in COMERS.values():
        run("ip", "-n", "outside", "address", "add", f"{address}/32", "dev", "eth0")
        run("ip", "route", "replace", f"{address}/32", "dev", "outside")
    run("ip", "-n", "outside", "route", "add", f"{MASTER}/32", "dev", "eth0")
    run("ip", "-n", "outside", "route", "add", "10.244.3.0/24", "via", MASTER, "dev", "eth0")
    run("sysctl", "-q", "-w", "net.ipv4.ip_forward=1")
    # As portmap does it for the port of a pod on its node.
    hook = "type nat hook prerouting priority dstnat; fib daddr type local tcp dport 443"
    run("nft", "-f", "-", stdin=f"table ip portmap {{ chain c {{ {hook} dnat to {GATEWAY}:8443; }}; }}")
    run("nft", "-f", "-", stdin=sys.stdin.read())
    run("ip", "netns", "exec", "gateway", "nft", "-f", "-", stdin=counters())
    server = subprocess.Popen(
        ["ip", "netns", "exec", "gateway", sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        given = json.dumps([COMERS, CONNECTIONS, QUESTIONS, MASTER, GATEWAY])
        found = json.loads(run("ip", "netns", "exec", "outside", sys.executable, "-c", COMING, given))
        print(json.dumps({**found, "asked": counted()}))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
