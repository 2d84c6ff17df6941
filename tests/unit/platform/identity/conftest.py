"""Passwords here take the time that they take in earnest."""

import pytest
from atoll.identity import passwords
from pwdlib import PasswordHash


@pytest.fixture(autouse=True)
def password_hasher() -> PasswordHash:
    """The product's own."""
    return passwords._HASHER
