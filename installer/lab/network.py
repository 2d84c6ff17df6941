"""The network of a lab: a bridge on this machine, a name space and a cable per node, and no way out of it."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import shutil
from pathlib import Path
from typing import Any

from installer.lab.commanding import command
from installer.lab.errors import LabError
from installer.lab.topology import Lab, LabNode, removal

_LINKS = Path("/sys/class/net")
_MARK = "atoll-lab:"


def check(lab: Lab) -> None:
    """See that the bridge's name and network are free or ours. Raises LabError, before anything is changed."""
    owner = _owner(lab.bridge)
    if owner not in (None, _alias(lab.name)):
        raise LabError(
            f"the network link `{lab.bridge}` exists already and belongs to {_said(owner)}",
            f"give this lab another `lab.bridge` in cluster.yaml, or {_removal(lab.bridge, owner)}",
        )
    for link in _links():
        name = link["ifname"]
        for address in link.get("addr_info", ()) if name != lab.bridge else ():
            if address["family"] != "inet":
                continue
            other = ipaddress.IPv4Interface(f"{address['local']}/{address['prefixlen']}").network
            if other.overlaps(lab.network):
                raise LabError(
                    f"the lab's network {lab.network} overlaps {other} of `{name}` on this machine, which belongs to "
                    f"{_said(_owner(name))}",
                    "choose another network (`lab.address` and the nodes' addresses in cluster.yaml), or "
                    f"{_removal(name, _owner(name))}",
                )


def make_bridge(lab: Lab) -> None:
    """Make the bridge with its address and its walls; does nothing where they stand."""
    if _owner(lab.bridge) is None:
        # One call for both, so that no kill leaves a bridge of which nobody knows whose it is. An address of its own,
        # since a bridge without takes that of a cable, and nodes would lose this machine whenever one restarts.
        address = _hardware_address(_alias(lab.name))
        steps = f"link add {lab.bridge} address {address} type bridge\nlink set {lab.bridge} alias {_alias(lab.name)}\n"
        command("ip", "-batch", "-", stdin=steps)
    command("ip", "address", "replace", f"{lab.address}/{lab.prefix}", "dev", lab.bridge)
    command("ip", "link", "set", lab.bridge, "up")
    command("nft", "-f", "-", stdin=_walls(lab.bridge))
    if _forwarding_is_filtered() and not _lets_nodes_talk(lab.bridge):
        command("iptables", "-w", "-I", "FORWARD", *_between_nodes(lab.bridge))


def remove_bridge(cluster: str, bridge: str) -> None:
    """Remove the bridge, if it is this lab's, and its rules."""
    owner = _owner(bridge)
    if owner not in (None, _alias(cluster)):
        return
    # Whoever made a lab installed these programs for it: a machine that lacks one has no rules of ours.
    if shutil.which("nft"):
        table = f"inet {_table(bridge)}"
        command("nft", "-f", "-", stdin=f"add table {table}\ndelete table {table}\n")  # whether it is there or not
    if shutil.which("iptables") and _lets_nodes_talk(bridge):
        command("iptables", "-w", "-D", "FORWARD", *_between_nodes(bridge))
    if owner is not None:
        command("ip", "link", "delete", bridge)


def connect(node: LabNode, bridge: str) -> None:
    """Give the node a new name space with one cable to the bridge: an address there, and no route anywhere else."""
    disconnect(node)
    command("ip", "netns", "add", node.machine)
    cable = ("ip", "link", "add", node.link, "type", "veth", "peer", "name", "eth0")
    command(*cable, "address", _hardware_address(node.machine), "netns", node.machine)
    command("ip", "link", "set", node.link, "master", bridge, "up", "alias", f"{_alias(node.cluster)}/{node.name}")
    inside = ("ip", "-n", node.machine)
    command(*inside, "address", "add", f"{node.address}/{node.prefix}", "dev", "eth0")
    command(*inside, "link", "set", "lo", "up")
    command(*inside, "link", "set", "eth0", "up")


def disconnect(node: LabNode) -> None:
    """Remove the node's cable and name space, whatever is there of them."""
    # The links of a deleted name space go later, on the kernel's own time; a new cable of the same name can't wait.
    if Path("/sys/class/net", node.link).exists():
        command("ip", "link", "delete", node.link, accept=(0, 1))
    if node.name_space.exists():
        command("ip", "netns", "delete", node.machine)


def labs() -> set[str]:
    """Return the labs of which a bridge or a cable is there."""
    return {mark.partition("/")[0] for mark in _marks().values()}


def cables(cluster: str) -> set[str]:
    """Return the nodes of a lab of which a cable is there."""
    return {mark.partition("/")[2] for mark in _marks().values() if mark.startswith(f"{cluster}/")}


def bridge_of(cluster: str) -> str | None:
    """Return the bridge that carries the lab's mark."""
    return next((link for link, mark in _marks().items() if mark == cluster), None)


def is_connected(node: LabNode) -> bool:
    """Say whether the node's cable hangs on a bridge."""
    return Path("/sys/class/net", node.link, "brport").exists()


def plug_in(node: LabNode, bridge: str) -> bool:
    """Put the node's cable into the bridge; False if the node has no cable."""
    if not Path("/sys/class/net", node.link).exists():
        return False
    command("ip", "link", "set", node.link, "master", bridge, "up")
    return True


def _links() -> list[dict[str, Any]]:
    links: list[dict[str, Any]] = json.loads(command("ip", "-json", "address", "show"))
    return [link for link in links if link.get("ifname")]


def _owner(link: str) -> str | None:
    """Return the mark on a link of this machine: empty if nobody marked it, None if there is no such link."""
    try:
        return (_LINKS / link / "ifalias").read_text("utf-8").strip()
    except OSError:  # there is none, or it goes just now
        return None


def _marks() -> dict[str, str]:
    """Return the links that labs made, each with its mark: the lab for a bridge, `lab/node` for a cable."""
    owners = {path.name: _owner(path.name) or "" for path in _LINKS.iterdir()}
    return {link: mark.removeprefix(_MARK) for link, mark in owners.items() if mark.startswith(_MARK)}


def _alias(cluster: str) -> str:
    return f"{_MARK}{cluster}"


def _said(owner: str | None) -> str:
    if owner and owner.startswith(_MARK):
        return f"the lab `{owner.removeprefix(_MARK).partition('/')[0]}`"
    return owner or "something else"


def _removal(link: str, owner: str | None) -> str:
    if owner and owner.startswith(_MARK):
        return removal(owner.removeprefix(_MARK).partition("/")[0])
    return f"take `{link}` down if nothing needs it (`ip -details link show {link}`)"


def _table(bridge: str) -> str:
    return "atoll_lab_" + "".join(letter if letter.isalnum() else "_" for letter in bridge)


def _walls(bridge: str) -> str:
    """Return the rules that keep this machine, which forwards, from forwarding into or out of the lab."""
    table = f"inet {_table(bridge)}"
    return f"""\
add table {table}
delete table {table}
table {table} {{
    chain forward {{
        type filter hook forward priority -10; policy accept;
        iifname "{bridge}" oifname != "{bridge}" drop
        oifname "{bridge}" iifname != "{bridge}" drop
    }}
}}
"""


def _forwarding_is_filtered() -> bool:
    """Say whether this machine filters what it forwards (Docker does): such rules see bridged packets too."""
    if not shutil.which("iptables"):
        return False
    rules = command("iptables", "-w", "-S", "FORWARD", accept=(0, 1, 3))
    return bool(set(rules.split("\n")) - {"-P FORWARD ACCEPT", ""})


def _between_nodes(bridge: str) -> tuple[str, ...]:
    return ("-i", bridge, "-o", bridge, "-j", "ACCEPT")


def _lets_nodes_talk(bridge: str) -> bool:
    rules = command("iptables", "-w", "-S", "FORWARD", accept=(0, 1, 3))
    return f"-A FORWARD -i {bridge} -o {bridge} -j ACCEPT" in rules.splitlines()


def _hardware_address(name: str) -> str:
    """Return an address that stays the same over a restart, so that no neighbour remembers a wrong one."""
    digest = hashlib.sha256(name.encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))
