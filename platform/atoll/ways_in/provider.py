"""What all providers have in common."""

import re
from dataclasses import dataclass
from typing import Protocol

from atoll.providers import WayName

LONGEST = 255
# What no line has that people read beside others (`ONE_LINE` of atoll.identity.schemas), and halves of letters.
_HIDES = re.compile(r"[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


def one_line(text: object) -> str:
    """What a provider calls somebody, in one line that nothing turns or hides; empty for what is no text."""
    return _HIDES.sub("", text).strip()[:LONGEST].strip() if isinstance(text, str) else ""


def identifier(value: object, longest: int = LONGEST) -> str:
    """By what a provider knows somebody: visible ASCII (OpenID Connect Core, 2: `sub`); empty for anything else."""
    text = value if isinstance(value, str) else ""
    return text if len(text) <= longest and text.isascii() and text.isprintable() else ""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a browser is sent with. `state` comes back with it; a `nonce` and a `verifier` are for who knows them."""

    state: str
    nonce: str
    verifier: str
    redirect: str  # where it comes back to
    chooses: bool = False  # whether the person shall choose among accounts there, whoever was signed in last
    since: float | None = None  # the person shall sign in there anew, after that moment (seconds since 1970)


@dataclass(frozen=True, slots=True)
class Known:
    """Who somebody is to a provider: `subjects` are all names of the same one, of which the first one lasts longest.

    `label` and `names` are words for people, and prove nothing.
    """

    issuer: str
    subjects: tuple[str, ...]
    label: str
    names: tuple[str, ...]
    nickname: str


class Provider(Protocol):
    """Says who somebody is."""

    way: WayName
    brand: str
    issuer: str
    proves: bool  # whether it has people sign in anew, and says when they did

    async def address(self, sent: Sent) -> str:
        """Where to send the browser. Raises Unreachable, NotBelieved."""

    async def who(self, code: str, sent: Sent, issuer: str | None) -> Known:
        """Who came back with `code`, and as whose answer (where that is told).

        Raises Unreachable, NotBelieved; Guessed where what they came with is to blame, NotFresh where they should have
        signed in there anew.
        """
