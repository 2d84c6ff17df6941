"""Authorities and certificates in a directory. Used on the control host only (needs `cryptography`)."""

from __future__ import annotations

import datetime
import ipaddress
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

Key = ec.EllipticCurvePrivateKey

# Which authority signs each authority; those without one are roots (see docs/deviations.md).
AUTHORITIES: dict[str, str | None] = {
    "registry": "",
    "gateway": "",
    "webhooks": "",
    "kubernetes": None,
    "etcd": None,
    "front_proxy": None,
    "control": None,
    "storage": None,
    "monitoring": None,
    "database": None,
    "platform": None,
}
OWNERS = {
    "": "administrator (take its key offline)",
    "registry": "role registry",
    "gateway": "role platform",
    "webhooks": "role queue",
    "kubernetes": "role kubernetes",
    "etcd": "role kubernetes",
    "front_proxy": "role kubernetes",
    "control": "role control",
    "storage": "role storage",
    "monitoring": "role monitoring",
    "database": "role database",
    "platform": "role platform",
}
ROOT_DAYS = 3650
AUTHORITY_DAYS = 1825
USAGES = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}
# Clocks of nodes may be a little behind the control host's.
SKEW = datetime.timedelta(minutes=10)


class AuthorityError(Exception):
    """What went wrong, in words for a person."""


def now() -> datetime.datetime:
    """Return the present, with its zone."""
    return datetime.datetime.now(datetime.UTC)


def write(path: Path, content: bytes, mode: int) -> None:
    """Write a file at once, with its mode from the start."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        os.fchmod(stream.fileno(), mode)
        stream.flush()
        os.fsync(stream.fileno())
    Path(temporary).replace(path)


def pem(certificate: x509.Certificate) -> bytes:
    """Return a certificate as text."""
    return certificate.public_bytes(serialization.Encoding.PEM)


def key_pem(key: Key | rsa.RSAPrivateKey) -> bytes:
    """Return a private key as text."""
    kind = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption())


def ends_soon(certificate: x509.Certificate) -> bool:
    """Say whether less than a third of a certificate's life is left."""
    life = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    return certificate.not_valid_after_utc - now() < life / 3


def general_name(name: str) -> x509.GeneralName:
    """Return an address as an address and all else as a DNS name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def subject_of(common_name: str, organisation: str | None) -> x509.Name:
    """Return the subject of a certificate."""
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organisation)] if organisation else []
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


class Pki:
    """The authorities and certificates of one cluster."""

    def __init__(self, directory: Path, cluster: str, dry: bool = False) -> None:
        self.directory = directory
        self.cluster = cluster
        self.dry = dry
        self.made: list[str] = []

    def have_authority(self, name: str) -> None:
        """Have an authority; its key may have been taken away."""
        if not (self.directory / name / "issuer.crt").exists():
            self.authority(name)

    def authority(self, name: str) -> tuple[x509.Certificate, Key]:
        """Return an authority with its key, made if it is missing; the empty name is the cluster's root."""
        if name and name not in AUTHORITIES:
            raise AuthorityError(f"there is no authority `{name}`; there are {', '.join(AUTHORITIES)}")
        folder = self.directory / name
        certificate_file = folder / ("issuer.crt" if name else "ca.crt")
        key_file = folder / "ca.key"
        if certificate_file.exists():
            certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
            if not key_file.exists():
                raise AuthorityError(
                    f"{key_file} is needed to sign with, and is not there. Bring it back, then apply again."
                )
            return certificate, self._key(key_file)
        parent = AUTHORITIES[name] if name else None
        key = ec.generate_private_key(ec.SECP256R1())
        title = f"Atoll {self.cluster} {name.replace('_', ' ')}".strip()
        issuer = self.authority(parent) if parent is not None else None
        certificate = self._sign(
            subject_of(title, None), key.public_key(), issuer or (None, key), AUTHORITY_DAYS if issuer else ROOT_DAYS
        )
        self.made.append(name or "root")
        if not self.dry:
            write(key_file, key_pem(key), 0o600)
            chain = pem(certificate) + (pem(issuer[0]) if issuer else b"")
            write(folder / "ca.crt", chain, 0o644)
            # Last: with it the authority counts as made.
            write(certificate_file, pem(certificate), 0o644)
        return certificate, key

    def certificate(
        self,
        name: str,
        common_name: str | None = None,
        organisation: str | None = None,
        names: list[str] | None = None,
        usages: list[str] | None = None,
        days: int = 397,
    ) -> None:
        """Have a certificate with its key, made or renewed where necessary."""
        authority = name.partition("/")[0]
        if not name.partition("/")[2] or name.endswith(("/ca", "/issuer")) or ".." in Path(name).parts:
            raise AuthorityError(f"`{name}` is not a name for a certificate: it must be <authority>/<name>")
        subject = subject_of(str(common_name or name.rpartition("/")[2]), organisation and str(organisation))
        wanted = {general_name(str(part)) for part in names or []}
        purposes = [str(usage) for usage in usages or ["server"]]
        if unknown := set(purposes) - set(USAGES):
            raise AuthorityError(f"`{name}`: unknown usages {', '.join(sorted(unknown))}")
        file = self.directory / f"{name}.crt"
        if self._serves(file, subject, wanted, purposes, authority):
            return
        issuer = self.authority(authority)
        key = ec.generate_private_key(ec.SECP256R1())
        made = self._sign(subject, key.public_key(), issuer, int(days), sorted(wanted, key=str), purposes)
        self.made.append(name)
        if not self.dry:
            write(file.with_suffix(".key"), key_pem(key), 0o600)
            intermediate = pem(issuer[0]) if AUTHORITIES[authority] is not None else b""
            write(file, pem(made) + intermediate, 0o644)

    def signing_key(self, name: str) -> None:
        """Have an RSA key pair."""
        file = self.directory / f"{name}.key"
        if file.exists():
            return
        self.made.append(name)
        if not self.dry:
            key = rsa.generate_private_key(65537, 2048)
            kind = serialization.PublicFormat.SubjectPublicKeyInfo
            public = key.public_key().public_bytes(serialization.Encoding.PEM, kind)
            write(file.with_suffix(".pub"), public, 0o644)
            write(file, key_pem(key), 0o600)

    def write_inventory(self) -> None:
        """List every certificate with its owner and its end."""
        entries = []
        for file in sorted(self.directory.rglob("*.crt")):
            certificate = x509.load_pem_x509_certificate(file.read_bytes())
            place = file.relative_to(self.directory)
            entries.append(
                {
                    "file": str(place),
                    "subject": certificate.subject.rfc4514_string(),
                    "issuer": certificate.issuer.rfc4514_string(),
                    "ends": certificate.not_valid_after_utc.isoformat(),
                    "owner": OWNERS.get(place.parts[0] if len(place.parts) > 1 else "", ""),
                }
            )
        content = (json.dumps(entries, indent=1) + "\n").encode()
        file = self.directory / "inventory.json"
        if not self.dry and (not file.exists() or file.read_bytes() != content):
            write(file, content, 0o600)

    def _serves(
        self, file: Path, subject: x509.Name, names: set[x509.GeneralName], usages: list[str], authority: str
    ) -> bool:
        """Say whether the certificate in a file is the one that is wanted."""
        issuer_file = self.directory / authority / "issuer.crt"
        if not file.exists() or not file.with_suffix(".key").exists() or not issuer_file.exists():
            return False
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
        issuer = x509.load_pem_x509_certificate(issuer_file.read_bytes())
        key = self._key(file.with_suffix(".key"))
        extensions = certificate.extensions
        purposes = set(extensions.get_extension_for_class(x509.ExtendedKeyUsage).value)
        has_names = any(isinstance(part.value, x509.SubjectAlternativeName) for part in extensions)
        seen = set(extensions.get_extension_for_class(x509.SubjectAlternativeName).value) if has_names else set()
        return (
            certificate.subject == subject
            and certificate.issuer == issuer.subject
            and certificate.public_key() == key.public_key()
            and seen == names
            and purposes == {USAGES[usage] for usage in usages}
            and not ends_soon(certificate)
        )

    def _key(self, file: Path) -> Key:
        try:
            key: Any = serialization.load_pem_private_key(file.read_bytes(), password=None)
        except TypeError:  # what cryptography raises where a password is needed
            raise AuthorityError(
                f"{file} is needed to sign with, and is encrypted. Put the plain key there for this apply."
            ) from None
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise AuthorityError(f"{file} is not a key that Atoll made. Move it away, then apply again.")
        return key

    def _sign(
        self,
        subject: x509.Name,
        public: ec.EllipticCurvePublicKey,
        issuer: tuple[x509.Certificate | None, Key],
        days: int,
        names: list[x509.GeneralName] | None = None,
        usages: list[str] | None = None,
    ) -> x509.Certificate:
        parent, key = issuer
        authority = usages is None
        end = now() + datetime.timedelta(days=days)
        if parent is not None:  # nothing outlives what it is trusted by
            end = min(end, parent.not_valid_after_utc)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(parent.subject if parent else subject)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now() - SKEW)
            .not_valid_after(end)
            .add_extension(x509.BasicConstraints(authority, 0 if authority and parent else None), critical=True)
            .add_extension(_key_usage(authority), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
        )
        if usages is not None:
            builder = builder.add_extension(x509.ExtendedKeyUsage([USAGES[usage] for usage in usages]), critical=False)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(key, hashes.SHA256())


def _key_usage(authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
