"""A copy of all objects of a kind, kept up to date by list and watch."""

import asyncio
from collections.abc import Callable

import structlog

from atoll.engines.base import EngineError
from atoll.engines.kubernetes.client import ApiFailure, Kind, KubernetesClient, Object

SLOWEST_RETRY_S = 15.0
log = structlog.get_logger(__name__)
Key = tuple[str, str]


def key(item: Object) -> Key:
    """Namespace and name."""
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


class Reflector:
    """Objects of one kind. `changed` is called with the object before and after every change."""

    def __init__(
        self,
        client: KubernetesClient,
        kind: Kind,
        changed: Callable[[Object | None, Object | None], None],
        *,
        selector: str = "",
        keep: Callable[[Object], Object] = lambda item: item,
    ) -> None:
        self._client = client
        self._kind = kind
        self._changed = changed
        self._selector = selector
        self._keep = keep
        self.items: dict[Key, Object] = {}
        self.synced = asyncio.Event()

    def put(self, item: Object) -> None:
        """Take an object from the API's answer to a write, so that it is known at once; older ones are ignored."""
        if key(item) not in self.items:
            self._set(key(item), self._keep(item))

    async def run(self) -> None:
        """List and watch until cancelled; whatever breaks is begun again."""
        pause = 0.5
        while True:
            try:
                version = await self._relist()
                pause = 0.5
                while True:
                    version = await self._follow(version)
            except ApiFailure as error:
                if error.status != 410:  # 410: too old to follow, simply list again
                    log.warning("watch failed, trying again", kind=self._kind.plural, error=str(error))
                    await asyncio.sleep(pause)
                    pause = min(SLOWEST_RETRY_S, pause * 2)
            except EngineError as error:
                log.warning("watch broke off, trying again", kind=self._kind.plural, error=str(error))
                await asyncio.sleep(pause)
                pause = min(SLOWEST_RETRY_S, pause * 2)

    async def _relist(self) -> str:
        listed = await self._client.list(self._kind, selector=self._selector)
        found = {key(item): self._keep(item) for item in listed["items"]}
        for gone in self.items.keys() - found.keys():
            self._set(gone, None)
        for name, item in found.items():
            if self.items.get(name) != item:
                self._set(name, item)
        self.synced.set()
        return str(listed["metadata"]["resourceVersion"])

    async def _follow(self, version: str) -> str:
        async for kind, item in self._client.watch(self._kind, version, selector=self._selector):
            version = str(item["metadata"]["resourceVersion"])
            if kind == "DELETED":
                self._set(key(item), None)
            elif kind != "BOOKMARK":
                self._set(key(item), self._keep(item))
        return version

    def _set(self, name: Key, item: Object | None) -> None:
        before = self.items.pop(name, None)
        if item is not None:
            self.items[name] = item
        self._changed(before, item)
