"""Whose session or access token it is: asked once, as none becomes another user's. It says nothing of rights."""

from collections import OrderedDict

from atoll.database.connection import AWAY, Sessions
from atoll.identity.access_tokens.repository import AccessTokenRepository
from atoll.identity.repository import IdentityRepository
from atoll.identity.tokens import may_be_access_token, token_hash
from atoll.web import told
from atoll.web.errors import Unavailable

MOST_KEPT = 10_000


class Holders:
    """The users of those tokens that were seen last."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._found: OrderedDict[str, str] = OrderedDict()

    def known(self, token: str) -> str | None:
        """The user's id, where it was found before."""
        hashed = token_hash(token)
        if hashed in self._found:
            self._found.move_to_end(hashed)
        return self._found.get(hashed)

    async def find(self, token: str) -> str | None:
        """The user's id, None for a token that opens nothing. Raises Unavailable while the database does not answer."""
        hashed = token_hash(token)
        try:
            async with self._sessions() as session:
                if may_be_access_token(token):
                    user = await AccessTokenRepository(session).holder(hashed)
                else:
                    user = await IdentityRepository(session).holder(hashed)
        except AWAY as error:  # who it is would be taken for a stranger, and signed out
            raise Unavailable(told.DatabaseUnavailable()) from error
        if user is not None:
            self._found[hashed] = user
            if len(self._found) > MOST_KEPT:
                self._found.popitem(last=False)
        return user

    def forget(self, token: str) -> None:
        """It opened nothing just now: whoever shows it again takes no turn of the user whose it was."""
        self._found.pop(token_hash(token), None)
