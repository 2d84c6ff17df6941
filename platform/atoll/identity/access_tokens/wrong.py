"""Wrong access tokens: whoever keeps showing some is told to wait.

None can be guessed, and a look at one is cheap; so nobody's right token is refused for others' wrong ones, be they
behind the same address. What is limited is how often that is answered as if it was new.
"""

import math
import time
from collections import OrderedDict

import structlog

from atoll.identity.codes import TooManyAttempts, WrongToken
from atoll.web.errors import ApiError, NotSignedIn, TooMany
from atoll.web.turns import machine

WINDOW_S = 300.0
MOST = 60
MOST_ADDRESSES = 10_000
# RFC 6750: what a program's library looks for.
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="atoll", error="invalid_token"'}
log = structlog.get_logger(__name__)


class WrongTokens:
    """How many each address showed lately, to this process of the API."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, tuple[float, int]] = OrderedDict()  # since when, how many

    def refusal(self, address: str) -> ApiError:
        """What is told of one more, the same of every one: it was never there, has ended, or is no token at all."""
        of, at = machine(address), time.monotonic()
        since, count = self._seen.pop(of, (at, 0))
        if at - since >= WINDOW_S:
            since, count = at, 0
        count += 1
        self._seen[of] = (since, count)
        if len(self._seen) > MOST_ADDRESSES:
            self._seen.popitem(last=False)
        if count <= MOST:
            return NotSignedIn(WrongToken(), headers=_CHALLENGE)
        if count == MOST + 1:
            log.warning("an address keeps showing wrong access tokens", address=of)
        left = math.ceil(since + WINDOW_S - at)
        return TooMany(TooManyAttempts(minutes=math.ceil(left / 60)), headers={"Retry-After": str(left), **_CHALLENGE})
