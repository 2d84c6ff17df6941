"""Where tasks of a virtual cluster are let out to: from what an administrator asks for to what is kept. Pure."""

from collections.abc import Collection, Sequence
from ipaddress import IPv4Network

from atoll.networks import Opening, Ports, exceptions, parsed
from atoll.virtual_clusters import codes
from atoll.virtual_clusters.schemas import OpenNetwork
from atoll.web.schema import FieldError


def openings(egress: Sequence[OpenNetwork]) -> tuple[Opening, ...]:
    """As it is kept: in one order, whatever order it was asked for in."""
    return tuple(
        sorted(
            Opening(
                each.network,
                tuple(sorted({Ports(one.protocol, one.first, one.last or one.first) for one in each.ports})),
            )
            for each in egress
        )
    )


def mistakes_of(egress: Sequence[OpenNetwork], shut: Collection[IPv4Network]) -> list[FieldError]:
    """What cannot be; `shut` is what stays closed whatever is opened."""
    found: list[FieldError] = []
    seen: set[IPv4Network] = set()
    for at, each in enumerate(egress):
        try:
            network = parsed(each.network)
        except ValueError:
            found.append(codes.NotANetwork().at(f"egress.{at}.network"))
        else:
            if exceptions(network, shut) is None:
                found.append(codes.NetworkOfTheCluster().at(f"egress.{at}.network"))
            if network in seen:
                found.append(codes.NetworkTwice().at(f"egress.{at}.network"))
            seen.add(network)
        found += [
            codes.PortsReversed().at(f"egress.{at}.ports.{number}.last")
            for number, ports in enumerate(each.ports)
            if ports.last is not None and ports.last < ports.first
        ]
    return found
