"""What the probe says of a node: a node's own word, so its shape is checked before anything is read of it."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field, Strict

# Fast: of a million words that are none, one error is enough.
Words = Annotated[list[str], FailFast()]
Count = Annotated[int, Field(ge=0, lt=1 << 64)]


def _address(text: str) -> str:
    if text:
        ipaddress.ip_address(text)
    return text


def _interface(text: str) -> str:
    ipaddress.IPv4Interface(text)
    return text


def _network(text: str) -> str:
    ipaddress.IPv4Network(text, strict=False)
    return text


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


class System(_Part):
    """The distribution."""

    id: str
    version: str
    name: str


class Directory(_Part):
    """The disk below a folder."""

    path: str
    device: Count
    bytes: Count
    free_bytes: Count
    free_files: Count | None
    read_only: bool


class Cgroups(_Part):
    """The version of cgroups and the controllers that can be used."""

    version: int
    controllers: Words


class Features(_Part):
    """What the kernel has."""

    overlay: bool
    fuse: bool
    nftables: bool
    nft_connlimit: bool
    br_netfilter: bool
    ipip: bool


class Counted(_Part):
    """How many accelerators of each vendor."""

    nvidia: Count
    ascend: Count


class Cards(_Part):
    """The accelerators on the bus, and those that their driver offers."""

    seen: Counted
    ready: Counted


class Seen(_Part):
    """Everything that the checks read."""

    clock: Annotated[float, Field(ge=0, lt=1e11, allow_inf_nan=False)]
    arch: str
    kernel: Annotated[str, Field(pattern=r"^[0-9]{1,4}\.[0-9]{1,4}([.-][!-~]{0,64})?$")]
    os: System
    uid: Count
    init: str
    container: bool
    machine_id: str
    product_uuid: str
    memory_bytes: Count
    cpus: Count
    swaps: Words
    directories: Annotated[list[Directory], FailFast()]
    missing_devices: Words
    listening: dict[str, str]
    ssh_client: Annotated[str, AfterValidator(_address)]
    cgroup: Cgroups
    features: Features
    processes: Words
    kubernetes: Words
    ours: Words
    clusters: Words
    networks: Annotated[list[Annotated[str, AfterValidator(_interface)]], FailFast()]
    routes: Annotated[list[Annotated[str, AfterValidator(_network)]], FailFast()]
    unreachable: Annotated[list[Annotated[tuple[str, str], Strict(strict=False)]], FailFast()]
    cards: Cards
