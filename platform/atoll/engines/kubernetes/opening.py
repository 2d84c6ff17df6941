"""Gives each attempt its network policy once the queue lets it go, and none to what is forgotten."""

import asyncio
from collections.abc import Callable

import structlog

from atoll.engines.base import EngineError
from atoll.engines.kubernetes import manifests, names, observing
from atoll.engines.kubernetes.client import NETWORK_POLICY, KubernetesClient, Object

OPENED_AT_ONCE = 4
OPENED_AGAIN_S = 2.0
log = structlog.get_logger(__name__)


class Opening:
    """Which attempts have a network policy (`marked`), and which are to get one.

    Until then their virtual cluster's own keeps everything closed, and a program is not started before it is there.
    What waits has none: every node writes its rules anew for each that there is.

    JobSets and policies are watched by two connections, so that one may show what the other does not show yet.
    `forgotten` is what an engine was told to forget and whose JobSet is still in its copy.
    """

    def __init__(self, client: KubernetesClient, job_set_of: Callable[[str], Object | None]) -> None:
        self._client = client
        self._job_set_of = job_set_of
        self.marked: set[str] = set()
        self.forgotten: set[str] = set()
        self._let_go: asyncio.Queue[Object] = asyncio.Queue()
        self._opening: set[str] = set()

    def consider(self, attempt_id: str) -> None:
        """Something of it changed: perhaps it is to be opened now."""
        job_set = self._job_set_of(attempt_id)
        if job_set is not None and self._is_closed(job_set) and attempt_id not in self._opening:
            self._opening.add(attempt_id)
            self._let_go.put_nowait(job_set)

    def forget(self, attempt_id: str) -> None:
        """From now on it gets no policy any more."""
        if self._job_set_of(attempt_id) is not None:
            self.forgotten.add(attempt_id)

    async def run(self) -> None:
        """Open what is let go, until cancelled."""
        while True:
            let_go = await self._let_go.get()
            try:
                await self._open(let_go)
            except EngineError as error:
                log.warning("network policy not made, trying again", attempt=_attempt(let_go), error=str(error))
                asyncio.get_running_loop().call_later(OPENED_AGAIN_S, self._let_go.put_nowait, let_go)
            else:
                self._opening.discard(_attempt(let_go))

    async def _open(self, let_go: Object) -> None:
        attempt_id = _attempt(let_go)
        job_set = self._job_set_of(attempt_id)
        if job_set is not None and self._is_closed(job_set):
            await self._client.apply(manifests.network_policy(job_set))
        # Whoever forgot it meanwhile looked for its policy before there was one.
        if attempt_id in self.forgotten or self._job_set_of(attempt_id) is None:
            metadata = let_go["metadata"]
            await self._client.delete(NETWORK_POLICY, metadata["namespace"], metadata["name"])

    def _is_closed(self, job_set: Object) -> bool:
        """Whether its pods come and have no network policy of their own."""
        attempt_id = _attempt(job_set)
        if attempt_id in self.forgotten or job_set["spec"].get("suspend") or "deletionTimestamp" in job_set["metadata"]:
            return False
        ended = observing.condition(job_set, "Completed") or observing.condition(job_set, "Failed")
        return ended is None and attempt_id not in self.marked


def _attempt(job_set: Object) -> str:
    return str(job_set["metadata"]["labels"][names.ATTEMPT])
