"""Passwords that are good for the first sign-in only, drawn by the platform."""

import secrets

# Without letters and digits that are taken for one another; 20 of 31 are 99 bits.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS, _GROUP = 4, 5


def drawn() -> str:
    """Another one: four groups of five letters or digits."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))
