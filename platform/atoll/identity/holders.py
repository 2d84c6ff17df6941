"""Whose session a token opens: asked once, as a token never becomes another user's. It says nothing of who may what."""

from collections import OrderedDict

from atoll.database.connection import AWAY, Sessions
from atoll.identity.repository import IdentityRepository
from atoll.identity.tokens import token_hash
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
                user = await IdentityRepository(session).holder(hashed)
        except AWAY as error:  # who it is would be taken for a stranger, and signed out
            raise Unavailable(told.DatabaseUnavailable()) from error
        if user is not None:
            self._found[hashed] = user
            if len(self._found) > MOST_KEPT:
                self._found.popitem(last=False)
        return user
