"""Types of single values in cluster.yaml: each says what it refuses and what to write instead."""

from __future__ import annotations

import base64
import binascii
import difflib
import ipaddress
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from installer.cluster.devices import DEVICE_TYPES
from installer.cluster.mistakes import refuse

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_LABEL_KEY = re.compile(r"([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?")
_USER = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
# As the platform names accounts (`atoll.identity.schemas.UserName`); tests/unit/contracts holds them together.
ACCOUNT = re.compile(r"[a-z][a-z0-9-]{0,30}[a-z0-9]")
_JUMP = re.compile(r"(?:[a-z_][a-z0-9_-]{0,31}@)?[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?")
_LINK = re.compile(r"[a-z][a-z0-9_.-]{0,14}")
_KEY_TYPES = ("ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa")
_OWN_LABELS = ("kubernetes.io/", "k8s.io/")


def _matching(pattern: re.Pattern[str], what: str, remedy: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if pattern.fullmatch(text) is None:
            raise refuse(f"`{text}` is not {what}.", remedy)
        return text

    return check


def _address(text: str) -> str:
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError:
        raise refuse(
            f"`{text}` is not an IPv4 address.",
            "Write the address on which the machines reach each other, like 10.0.0.11 (names are not looked up).",
        ) from None


def _network(text: str) -> str:
    try:
        return str(ipaddress.IPv4Network(text))
    except ValueError as error:
        loose = "host bits" in str(error)
        hint = str(ipaddress.IPv4Network(text, strict=False)) if loose else "10.244.0.0/16"
        raise refuse(f"`{text}` is not an IPv4 network.", f"Write a network like {hint}.") from None


def _interface(text: str) -> str:
    try:
        found = ipaddress.IPv4Interface(text)
    except ValueError:
        found = None
    if found is None or "/" not in text or found.network.prefixlen > 30:
        raise refuse(
            f"`{text}` is not an address with its network.", "Write address and prefix length, like 10.77.0.1/24."
        )
    return str(found)


def _host_key(text: str) -> str:
    parts = text.split()
    try:
        good = len(parts) >= 2 and parts[0] in _KEY_TYPES and len(base64.b64decode(parts[1], validate=True)) > 30
    except binascii.Error:
        good = False
    if not good:
        raise refuse(
            f"`{text[:40]}` is not a public SSH host key.",
            "Copy type and key from the server's /etc/ssh/ssh_host_ed25519_key.pub, or leave it out and use "
            "`./atoll enrol`.",
        )
    return " ".join(parts[:2])


def _absolute(text: str) -> str:
    if not text.startswith("/") or "//" in text or any(part in {".", ".."} for part in text.split("/")):
        raise refuse(f"`{text}` is not an absolute path.", "Write the path from the root on, like /srv/atoll.")
    return text.rstrip("/") or "/"


def _labels(labels: dict[str, str]) -> dict[str, str]:
    for key, value in labels.items():
        if not _LABEL_KEY.fullmatch(key) or not _LABEL_VALUE.fullmatch(value):
            raise refuse(
                f"`{key}: {value}` is not a Kubernetes label.",
                "Use at most 63 letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit.",
            )
        prefix = key.partition("/")[0] + "/" if "/" in key else ""
        if any(prefix == own or prefix.endswith("." + own) for own in _OWN_LABELS):
            raise refuse(f"label `{key}` belongs to Kubernetes.", "Choose a prefix of your own, like example.com/rack.")
    return labels


def _device_type(value: Any) -> Any:
    """Refuse what is not a device type."""
    if not isinstance(value, str) or value not in DEVICE_TYPES:
        close = difflib.get_close_matches(str(value), DEVICE_TYPES, n=1, cutoff=0.8)
        hint = f"Did you mean `{close[0]}`? " if close else ""
        raise refuse(f"`{value}` is not a device type.", f"{hint}There are {', '.join(DEVICE_TYPES)}.")
    return value


_DNS = "Use small letters, digits and `-` only, at most 63 of them, beginning and ending with a letter or a digit."

DnsLabel = Annotated[str, AfterValidator(_matching(_LABEL, "a name that DNS allows", _DNS))]
# It becomes part of names of bridges, machines and certificates, which have short limits.
ClusterName = Annotated[
    str,
    AfterValidator(_matching(re.compile(r"[a-z]([a-z0-9-]{0,29}[a-z0-9])?"), "a name for a cluster",
        "Use small letters, digits and `-`, at most 31 of them, beginning with a letter.")),
]  # fmt: skip
# Namespaces and queues carry it; the platform makes later ones by the same rule.
VIRTUAL_CLUSTER = re.compile(r"(?=.{1,40}$)(?!(.*-)?root$)[a-z0-9]+(-[a-z0-9]+)*")
VirtualClusterName = Annotated[
    str,
    AfterValidator(_matching(VIRTUAL_CLUSTER, "a name for a virtual cluster",
        "Use small letters and digits with single `-` between, at most 40; not `root`, nor `-root` at the end.")),
]  # fmt: skip
DnsDomain = Annotated[
    str,
    AfterValidator(_matching(re.compile(rf"{_LABEL.pattern}(\.{_LABEL.pattern})*"), "a DNS domain",
        "Write a domain like atoll.example.com.")),
]  # fmt: skip
Host = Annotated[
    str, AfterValidator(_matching(_HOST, "a host name or address", "Write a name or an address without port."))
]
UserName = Annotated[
    str, AfterValidator(_matching(_USER, "a Linux user name", "Use small letters, digits, `_` and `-`, like deploy."))
]
AccountName = Annotated[
    str,
    AfterValidator(_matching(ACCOUNT, "a name of an account", "Write the name of somebody who signs in, like ada.")),
]
Jump = Annotated[
    str, AfterValidator(_matching(_JUMP, "an SSH jump host", "Write [user@]host[:port], like ops@gate.example.com:22."))
]
Link = Annotated[
    str,
    AfterValidator(_matching(_LINK, "a name for a network device", "Use at most 15 small letters and digits.")),
]
_NAME = "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?"
_PORT = r"([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])"
HttpsUrl = Annotated[
    str,
    AfterValidator(
        _matching(re.compile(r"https://[^\s/]+(/\S*)?"), "an https address", "Write https:// and the name.")
    ),
]
HttpProxy = Annotated[
    str,
    AfterValidator(_matching(re.compile(rf"http://{_NAME}:{_PORT}"), "a proxy",
        "Write http://, its name or address, and its port, like http://10.0.0.5:3128.")),
]  # fmt: skip
ProviderUrl = Annotated[
    str,
    AfterValidator(_matching(re.compile(rf"https://{_NAME}(:{_PORT})?(/[^\s?#]*)?"), "the address of a provider",
        "Write https://, its name and perhaps a port and a path, with nothing behind these.")),
]  # fmt: skip
HttpsOrigin = Annotated[
    str,
    AfterValidator(_matching(re.compile(r"https://[^\s/]+"), "the address of a portal",
        "Write https:// and the name, with nothing behind it, like https://ai.example.com.")),
]  # fmt: skip
Mail = Annotated[
    str,
    AfterValidator(_matching(re.compile(r"[^@\s]+@[^@\s]+"), "a mail address", "Write one like atoll@example.com.")),
]
DevicePath = Annotated[
    str,
    AfterValidator(_matching(re.compile(r"/dev/\S+"), "a device",
        "Write its path, best by a lasting name, like /dev/disk/by-id/….")),
]  # fmt: skip
Address = Annotated[str, AfterValidator(_address)]
Network = Annotated[str, AfterValidator(_network)]
Interface = Annotated[str, AfterValidator(_interface)]
HostKey = Annotated[str, AfterValidator(_host_key)]
AbsolutePath = Annotated[str, AfterValidator(_absolute)]
Labels = Annotated[dict[str, str], AfterValidator(_labels)]
Port = Annotated[int, Field(ge=1, le=65535)]
Days = Annotated[int, Field(ge=1, le=3650)]
Seconds = Annotated[int, Field(ge=1, le=86400)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=250)]
DeviceTypeName = Annotated[str, BeforeValidator(_device_type), Field(json_schema_extra={"enum": list(DEVICE_TYPES)})]
