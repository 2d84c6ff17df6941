"""What is opened to tasks and what stays closed whatever is opened. Needs nothing."""

from __future__ import annotations

import contextlib
from ipaddress import IPv4Network, ip_address

import pytest
from atoll.networks import NEVER, Opening, Ports, closed, exceptions, parsed
from hypothesis import given
from hypothesis import strategies as st

CLUSTER = ["10.244.0.0/16", "10.96.0.0/16", "192.0.2.11", "192.0.2.12"]


def left_out(network: str) -> list[str] | None:
    found = exceptions(parsed(network), closed(CLUSTER))
    return None if found is None else [str(each) for each in found]


@pytest.mark.parametrize("network", ["10.20.0.0/16", "203.0.113.7/32", "192.0.2.0/29", "8.8.8.8/32"])
def test_a_network_beside_the_cluster_is_opened_as_it_is(network: str) -> None:
    assert left_out(network) == []


def test_what_is_the_clusters_is_left_out_of_a_wider_network() -> None:
    assert left_out("10.0.0.0/8") == ["10.96.0.0/16", "10.244.0.0/16"]
    assert left_out("192.0.2.0/24") == ["192.0.2.11/32", "192.0.2.12/32"]
    everything = left_out("0.0.0.0/0")
    assert everything is not None
    assert {"10.96.0.0/16", "10.244.0.0/16", "192.0.2.11/32", "169.254.0.0/16", "127.0.0.0/8"} <= {*everything}


@pytest.mark.parametrize(
    "network",
    ["10.244.0.0/16", "10.244.7.0/24", "10.96.0.1/32", "192.0.2.11/32", "127.0.0.1/32", "169.254.169.254/32",
     "224.0.0.0/8", "0.0.0.0/8", "255.255.255.255/32"],
)  # fmt: skip
def test_of_the_cluster_itself_and_of_hosts_and_links_nothing_is_opened(network: str) -> None:
    assert left_out(network) is None


def test_a_network_of_which_each_half_is_a_machine_is_all_closed() -> None:
    shut = closed(["192.0.2.10", "192.0.2.11"])
    assert exceptions(IPv4Network("192.0.2.10/31"), shut) is None
    assert exceptions(IPv4Network("192.0.2.8/29"), shut) == [IPv4Network("192.0.2.10/31")]


def test_an_ipv6_address_of_a_machine_is_no_hindrance() -> None:
    assert closed(["2001:db8::7"]) == closed([])


def test_a_node_that_tells_no_address_is_no_hindrance() -> None:
    assert closed(["", "192.0.2.11"]) == closed(["192.0.2.11"])


@pytest.mark.parametrize(
    "text",
    ["", "10.0.0.0", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/-1", " 10.0.0.0/8", "10.0.0.0/8\n", "2001:db8::/32",
     "host/8", "10.0.0.0/255.0.0.0/8", "١٠.0.0.0/8", "10.0.0/8", "010.0.0.0/8"],
)  # fmt: skip
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed(text)


@pytest.mark.parametrize("text", ["10.0.0.0/255.0.0.0", "10.0.0.0/0.255.255.255", "10.0.0.0/08"])
def test_one_network_is_written_in_one_way(text: str) -> None:
    with contextlib.suppress(ValueError):
        pytest.fail(f"{parsed(text)}: Kubernetes does not read it as `{text}`")


def test_what_is_kept_is_what_was_kept() -> None:
    opening = Opening("10.0.0.0/8", (Ports("tcp", 443, 443), Ports("udp", 53, 60)))
    assert Opening.of(opening.kept()) == opening
    assert opening.kept() == {
        "network": "10.0.0.0/8",
        "ports": [{"protocol": "tcp", "first": 443, "last": 443}, {"protocol": "udp", "first": 53, "last": 60}],
    }


ADDRESS = st.integers(0, (1 << 32) - 1).map(ip_address)
NETWORK = st.tuples(st.integers(0, (1 << 32) - 1), st.integers(0, 32)).map(
    lambda each: IPv4Network((each[0] >> (32 - each[1]) << (32 - each[1]), each[1]))
)


@given(NETWORK, st.lists(NETWORK, max_size=6), ADDRESS)
def test_no_address_that_stays_closed_is_ever_opened_and_every_other_is(
    network: IPv4Network, own: list[IPv4Network], address: object
) -> None:
    shut = closed(map(str, own))
    found = exceptions(network, shut)
    opened = found is not None and address in network and not any(address in each for each in found)
    is_closed = any(address in each for each in (*own, *NEVER))
    assert opened == (address in network and not is_closed), "what stays closed is opened, or something is not"
