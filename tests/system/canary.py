"""What the generated secrets look like wherever they might turn up, and a look for them that shows none.

Each is looked for as it is, in base64 (at each of the three offsets that it can have in something longer), with
percent signs, and as hexadecimal; of a private key also the bytes of the key itself.
"""

from __future__ import annotations

import base64
import os
import re
import subprocess
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from installer.lab import labs
from tests.system.harness import SCRATCH, Atoll

LEAST = 12  # characters or bytes: shorter ones are found by chance
NOT_FILES = ("proc", "sys", "dev")


def values(data: Any) -> list[str]:
    """All texts of a document that are long enough to be told from words."""
    if isinstance(data, dict):
        return [value for inner in data.values() for value in values(inner)]
    if isinstance(data, list):
        return [value for inner in data for value in values(inner)]
    return [data] if isinstance(data, str) and len(data) >= LEAST else []


def key_bytes(pem: bytes) -> bytes:
    """The number that makes a private key private."""
    load = serialization.load_ssh_private_key if b"OPENSSH" in pem else serialization.load_pem_private_key
    key = load(pem, password=None)
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return key.private_numbers().private_value.to_bytes((key.key_size + 7) // 8, "big")
    if isinstance(key, rsa.RSAPrivateKey):
        return key.private_numbers().p.to_bytes(key.key_size // 16, "big")
    assert isinstance(key, ed25519.Ed25519PrivateKey), type(key)
    return key.private_bytes(serialization.Encoding.Raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())


def in_base64(secret: bytes) -> Iterator[bytes]:
    """What is the same of all texts whose base64 holds that of the secret, for each offset."""
    for offset in range(3):
        coded = base64.b64encode(bytes(offset) + secret).rstrip(b"=")
        begin = -(-offset * 8 // 6)
        yield coded[begin : len(coded) - (1 if (offset + len(secret)) % 3 else 0)]


def forms(secret: bytes) -> set[bytes]:
    """How a secret may stand somewhere; a newline ends what can be looked for."""
    found = {secret, secret.hex().encode(), *in_base64(secret), urllib.parse.quote_from_bytes(secret, safe="").encode()}
    found |= {each.replace(b"+", b"-").replace(b"/", b"_") for each in in_base64(secret)}
    found |= {urllib.parse.quote_from_bytes(each, safe="").encode() for each in in_base64(secret)}
    longest = {max(each.split(b"\n"), key=len) for each in found}
    return {each for each in longest if len(each) >= LEAST}


class Canary:
    """The secrets of a cluster, by names that may be shown."""

    def __init__(self, atoll: Atoll) -> None:
        self.secrets: dict[str, bytes] = {}
        document = yaml.safe_load((atoll.state / "secrets.yaml").read_text("utf-8"))
        for number, value in enumerate(values(document)):
            self.secrets[f"secret {number} of secrets.yaml"] = value.encode()
        for path in [*(atoll.state / "pki").rglob("*.key"), atoll.state / "ssh" / "id_ed25519"]:
            pem = path.read_bytes()
            name = str(path.relative_to(atoll.state))
            self.secrets[name] = key_bytes(pem)
            # The middle of a private key is as telling as the whole and has no line ends in it.
            lines = pem.splitlines()
            self.secrets[f"{name} as it is written"] = lines[len(lines) // 2]
        changed = SCRATCH / "password"
        if changed.exists():
            self.secrets["the administrator's password"] = changed.read_bytes().strip()
        self._forms = {name: forms(secret) for name, secret in self.secrets.items()}
        self._any = re.compile(b"|".join(re.escape(each) for each in sorted({*self._all()})))

    def _all(self) -> Iterator[bytes]:
        for each in self._forms.values():
            yield from each

    def named(self, content: bytes) -> list[str]:
        """Which secrets a content holds."""
        if self._any.search(content) is None:
            return []
        return sorted(name for name, each in self._forms.items() if any(form in content for form in each))

    def files_with_secrets(self, atoll: Atoll, node: str, roots: list[str], without: list[str]) -> list[str]:
        """Files of a node that hold one. The secrets go in by standard input: arguments are for all to read."""
        words = [
            "grep",
            "--recursive",
            "--files-with-matches",
            "--text",
            "--fixed-strings",
            "--file=-",
            "--devices=skip",
        ]
        words += [f"--exclude-dir={each}" for each in without]
        done = subprocess.run(
            labs.inside(atoll.name, node, ["env", "LC_ALL=C", *words, *roots]),
            input=b"\n".join(sorted({*self._all()})) + b"\n",
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.returncode in {0, 1, 2}, done.stderr[-2000:]
        return sorted(done.stdout.decode("utf-8", "replace").splitlines())

    def processes_with_secrets(self) -> list[str]:
        """Processes of this machine, its lab nodes and their containers included, by whose environment it is told."""
        found = []
        for process in Path("/proc").iterdir():
            if not process.name.isdecimal() or int(process.name) == os.getpid():
                continue
            try:
                environment, name = (process / "environ").read_bytes(), (process / "comm").read_text().strip()
            except OSError:
                continue  # it has ended
            found += [f"{name}: {secret}" for secret in self.named(environment)]
        return sorted({*found})
