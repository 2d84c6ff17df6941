"""Whose session or access token it is: asked once, as none becomes another user's. It says nothing of rights."""

from collections import OrderedDict
from datetime import datetime

from atoll.database.base import now
from atoll.database.connection import AWAY, Sessions
from atoll.database.notifications import SESSIONS_ENDED, Listener
from atoll.identity.access_tokens.repository import AccessTokenRepository
from atoll.identity.repository import IdentityRepository
from atoll.identity.tokens import may_be_access_token, token_hash
from atoll.web import told
from atoll.web.errors import Unavailable

MOST_KEPT = 10_000


class Holders:
    """The users of those tokens that were seen last; of one that ends nothing is kept."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._found: OrderedDict[str, tuple[str, datetime]] = OrderedDict()  # of each digest
        self._of: dict[str, set[str]] = {}  # of each user the digests
        self._heard = 0

    async def keep_up(self, listener: Listener) -> None:
        """Drop what a user's tokens are known by whenever some of them ended, until cancelled."""
        async with listener.subscribe(SESSIONS_ENDED) as ended:
            while True:
                self._drop(await ended.get())

    def known(self, token: str) -> str | None:
        """The user's id, where it was found before and has not ended since."""
        hashed = token_hash(token)
        user, ends_at = self._found.get(hashed, (None, None))
        if ends_at is None:
            return None
        if ends_at <= now():
            self.forget(token)
            return None
        self._found.move_to_end(hashed)
        return user

    async def find(self, token: str) -> str | None:
        """The user's id, None for a token that opens nothing. Raises Unavailable while the database does not answer."""
        hashed, heard = token_hash(token), self._heard
        try:
            async with self._sessions() as session:
                if may_be_access_token(token):
                    found = await AccessTokenRepository(session).holder(hashed)
                else:
                    found = await IdentityRepository(session).holder(hashed)
        except AWAY as error:  # who it is would be taken for a stranger, and signed out
            raise Unavailable(told.DatabaseUnavailable()) from error
        if found is None:
            return None
        if heard == self._heard:  # else it may have ended since it was read
            self._found[hashed] = found
            self._of.setdefault(found[0], set()).add(hashed)
            if len(self._found) > MOST_KEPT:
                self._forget(next(iter(self._found)))
        return found[0]

    def forget(self, token: str) -> None:
        """It opened nothing just now: whoever shows it again takes no turn of the user whose it was."""
        self._forget(token_hash(token))

    def _forget(self, hashed: str) -> None:
        user, _ = self._found.pop(hashed, ("", None))
        digests = self._of.get(user, set())
        digests.discard(hashed)
        if not digests:
            self._of.pop(user, None)

    def _drop(self, user: str | None) -> None:
        """Forget all of a user; None: of everybody, since something was not heard."""
        self._heard += 1
        if user is None:
            self._found.clear()
            self._of.clear()
        for hashed in self._of.pop(user or "", set()):
            self._found.pop(hashed, None)
