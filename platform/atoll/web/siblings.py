"""Connections to the sibling services."""

import httpx

# Idle connections are given up before the other side (5 s and more) closes them, so none breaks just as it is used.
# Followed logs hold one each, so their number is not limited here.
KEPT_OPEN = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=2)
