"""How the API reaches `jobs`: for the output of replicas that still run."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from atoll.web import siblings

# Silent programs are the rule: then the log is asked for again from where it was. A sibling whose node lost power is
# silent for ever, and nothing else tells it from them.
_PATIENCE = httpx.Timeout(5, read=60)


class LiveLogGone(Exception):
    """`jobs` does not have this log (any more); shared storage does."""


class JobsClient:
    """A client of `jobs`."""

    def __init__(self, url: str, token: str, authority: Path | None = None) -> None:
        """Raise ConfigurationError where the authority of its certificate cannot be read."""
        self._http = siblings.sibling(f"{url}/internal/jobs", token, authority, timeout_s=10)

    async def close(self) -> None:
        """Give connections back."""
        await self._http.aclose()

    async def log(self, attempt_id: str, rank: int, offset: int) -> AsyncIterator[bytes]:
        """Output from `offset` until the replica ends. Raises LiveLogGone, also when it breaks off or is silent."""
        try:
            async with self._http.stream(
                "GET", f"/attempts/{attempt_id}/log", params={"rank": rank, "offset": offset}, timeout=_PATIENCE
            ) as answer:
                if answer.is_error:
                    raise LiveLogGone(f"status {answer.status_code}")
                async for chunk in answer.aiter_raw():
                    yield chunk
        except httpx.HTTPError as error:
            raise LiveLogGone(type(error).__name__) from error
