"""Whose failures at providers count together, and who waits behind whom."""

from dataclasses import dataclass

from atoll.identity.repository import IdentityRepository
from atoll.identity.service import WINDOW, too_often
from atoll.web.turns import machine, site

# As of wrong passwords, and counted apart from these: who types a password keeps out nobody who has none.
MOST_OF_ADDRESS, MOST_OF_DEVICE = 30, 5


@dataclass(frozen=True, slots=True)
class Whence:
    """From where somebody comes, as far as they are told apart from others.

    `key`: under what their failures are counted, of which there may be `most`. `line`: where they wait. `site`: whose
    open flows theirs are among.
    """

    key: str
    most: int
    line: str
    site: str


async def whence(repository: IdentityRepository, address: str, device: str | None) -> Whence:
    """By the address; by the device, given its hash, where somebody with rights signed in with it before.

    Then strangers behind the same address keep nobody out. A device that failed too often is a stranger again.
    """
    if device is not None and (known := await repository.device_of_somebody(device)) is not None:
        key = f"device:{known}"
        if await repository.attempts(key, WINDOW) < MOST_OF_DEVICE:
            return Whence(key, MOST_OF_DEVICE, key, key)
    return Whence(f"ways:{machine(address)}", MOST_OF_ADDRESS, machine(address), site(address))


async def refuse_guessing(repository: IdentityRepository, found: Whence) -> None:
    """Raise TooMany where what came back was made up too often."""
    if await repository.attempts(found.key, WINDOW) >= found.most:
        raise too_often()
