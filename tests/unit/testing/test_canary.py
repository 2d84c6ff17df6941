"""What the canary of the suite `system` finds. Needs nothing."""

from __future__ import annotations

import base64
import urllib.parse

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tests.system.canary import forms, key_bytes

SECRET = b"a secret/of+some characters"


@pytest.mark.parametrize("offset", range(6))
@pytest.mark.parametrize("end", range(3))
def test_a_secret_is_found_in_base64_wherever_it_stands_in_something_longer(offset: int, end: int) -> None:
    text = bytes(range(65, 65 + offset)) + SECRET + b"xyz"[:end]
    for coded in (base64.b64encode(text), base64.urlsafe_b64encode(text)):
        assert any(form in coded for form in forms(SECRET))
        assert any(form in urllib.parse.quote(coded, safe="").encode() for form in forms(SECRET))


def test_a_secret_is_found_as_it_is_in_hexadecimal_and_with_percent_signs() -> None:
    for text in (SECRET, SECRET.hex().encode(), urllib.parse.quote(SECRET, safe="").encode()):
        assert any(form in b"before " + text + b" behind" for form in forms(SECRET))
    assert not any(form in b"a secret of another kind" for form in forms(SECRET))


def test_of_a_secret_with_newlines_the_longest_line_is_looked_for() -> None:
    assert b"the longer line of it" in forms(b"a\nthe longer line of it\nb")
    assert all(b"\n" not in form for form in forms(b"a\nthe longer line of it\nb"))


@pytest.mark.parametrize("ssh", [False, True])
def test_the_bytes_of_a_key_are_those_that_make_it_private(ssh: bool) -> None:
    form = serialization.PrivateFormat.OpenSSH if ssh else serialization.PrivateFormat.PKCS8
    for key in (
        ec.generate_private_key(ec.SECP256R1()),
        ed25519.Ed25519PrivateKey.generate(),
        rsa.generate_private_key(65537, 2048),
    ):
        pem = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
        plain = key.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        assert len(key_bytes(pem)) >= 32
        assert key_bytes(pem) in plain
