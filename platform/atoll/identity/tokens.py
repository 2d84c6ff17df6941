"""Tokens of sessions."""

import hashlib
import secrets


def new_token() -> str:
    """256 random bits."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What the table of sessions keeps; the token is random, so a plain digest is enough."""
    return hashlib.sha256(token.encode()).hexdigest()
