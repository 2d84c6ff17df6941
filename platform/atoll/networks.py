"""Where tasks of a virtual cluster may be let out to, and what stays closed to them whatever is opened. Pure."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from ipaddress import IPv4Network, collapse_addresses
from typing import Any, Literal

Protocol = Literal["tcp", "udp"]
# Addresses of this host, of links (clouds tell secrets of a machine there), of groups; and what is no address.
NEVER = tuple(map(IPv4Network, ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4")))


@dataclass(frozen=True, order=True)
class Ports:
    """A port, or those from `first` to `last`."""

    protocol: Protocol
    first: int
    last: int


@dataclass(frozen=True, order=True)
class Opening:
    """A network (IPv4, as `10.1.0.0/16`) and the ports that may be reached there."""

    network: str
    ports: tuple[Ports, ...]

    def kept(self) -> dict[str, Any]:
        """As the database keeps it."""
        return {"network": self.network, "ports": [asdict(each) for each in self.ports]}

    @classmethod
    def of(cls, kept: dict[str, Any]) -> "Opening":
        """What was kept."""
        return cls(kept["network"], tuple(Ports(**each) for each in kept["ports"]))


def parsed(text: str) -> IPv4Network:
    """A network as it is written in an `Opening`. Raises ValueError for all else: a host's address in a wider network,
    IPv6, which no task has, another way to write it (`10.0.0.0/255.0.0.0`), which Kubernetes does not read.
    """
    found = IPv4Network(text)
    if str(found) != text:
        raise ValueError(f"`{text}` is written {found}")
    return found


def closed(own: Iterable[str]) -> list[IPv4Network]:
    """What stays closed: `NEVER`, and networks and addresses of the cluster itself. IPv6 nobody reaches anyway, and
    the empty address is that of a node that tells none.
    """
    return [*collapse_addresses([*NEVER, *(IPv4Network(each) for each in own if each and ":" not in each)])]


def exceptions(network: IPv4Network, shut: Collection[IPv4Network]) -> list[IPv4Network] | None:
    """What of `network` stays closed, where `shut` is what `closed` gave; None: all of it."""
    if any(network.subnet_of(each) for each in shut):
        return None
    return [each for each in shut if each.subnet_of(network)]
