"""How many things one user may have made lately, whatever became of them since."""

import math
from datetime import datetime, timedelta

from atoll.database.base import now

WINDOW = timedelta(minutes=10)
WINDOW_MINUTES = int(WINDOW.total_seconds()) // 60


def wait_s(last_but_limit: datetime | None) -> int:
    """For how many seconds no further one may be made, 0: one may be.

    With a limit of n, `last_but_limit` is when the n-th newest was made: the one whose leaving makes room.
    """
    if last_but_limit is None:
        return 0
    return max(0, math.ceil((last_but_limit + WINDOW - now()).total_seconds()))
