"""What opens another way into an account is done soon after its user proved who they are.

That is by the password, or by signing in anew at a provider: that somebody came by one proves nothing, since who was
signed in there is sent back without being asked.
"""

from datetime import timedelta

from atoll.database.base import now
from atoll.identity import codes
from atoll.identity.repository import IdentityRepository
from atoll.web.errors import NotAllowed

FRESH = timedelta(minutes=15)
MINUTES = int(FRESH.total_seconds()) // 60


async def fresh(repository: IdentityRepository, hashed_token: str, *, elsewhere: bool = False) -> bool:
    """Whether who sits at that session proved it so lately; `elsewhere`: in one into which a link led."""
    return await repository.proven_since(hashed_token, now() - FRESH, elsewhere=elsewhere)


async def refuse_stale(repository: IdentityRepository, hashed_token: str) -> None:
    """Raise NotAllowed unless who sits at that session proved lately who they are."""
    if not await fresh(repository, hashed_token):
        raise stale()


def stale() -> NotAllowed:
    """What is told where that is too long ago, or never was."""
    return NotAllowed(codes.SignInAgain(minutes=MINUTES))
