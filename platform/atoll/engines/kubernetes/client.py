"""The few calls that the engine makes to the Kubernetes API, on plain objects: get, list, apply, delete, watch, logs.

`kubernetes.aio` brings configuration, credentials and TLS; its typed classes know nothing of JobSet and Kueue.
"""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from kubernetes.aio.client import ApiClient
from kubernetes.aio.client import Configuration as ClientConfiguration
from kubernetes.aio.config import load_incluster_config, load_kube_config
from kubernetes.aio.config.config_exception import ConfigException

from atoll.configuration import ConfigurationError
from atoll.engines.base import EngineError

FIELD_MANAGER = "atoll-jobs"
TIMEOUT_S = 20
WATCH_S = 290
# aiohttp does not wait for the end of TLS connections that it closes; it asks for this ("Graceful Shutdown").
GOODBYE_S = 0.25
# Bookmarks come every minute: a watch without a word for longer is one whose server is gone.
WATCH_TIMEOUT = aiohttp.ClientTimeout(total=WATCH_S + 30, sock_read=90)
Object = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of objects and where its API is."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool = True

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """The address of a collection or an object."""
        base = f"/api/{self.api_version}" if "/" not in self.api_version else f"/apis/{self.api_version}"
        where = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{base}{where}/{self.plural}" + (f"/{name}" if name else "")


KUEUE = "kueue.x-k8s.io/v1beta2"
NAMESPACE = Kind("v1", "Namespace", "namespaces", namespaced=False)
NODE = Kind("v1", "Node", "nodes", namespaced=False)
POD = Kind("v1", "Pod", "pods")
CONFIG_MAP = Kind("v1", "ConfigMap", "configmaps")
SECRET = Kind("v1", "Secret", "secrets")
VOLUME = Kind("v1", "PersistentVolume", "persistentvolumes", namespaced=False)
VOLUME_CLAIM = Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
NETWORK_POLICY = Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies")
JOB_SET = Kind("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets")
COHORT = Kind(KUEUE, "Cohort", "cohorts", namespaced=False)
CLUSTER_QUEUE = Kind(KUEUE, "ClusterQueue", "clusterqueues", namespaced=False)
LOCAL_QUEUE = Kind(KUEUE, "LocalQueue", "localqueues")
WORKLOAD = Kind(KUEUE, "Workload", "workloads")
# etcd's words, and those of the connection to it, for what it does not take; the API server passes them on with 500.
_TOO_LARGE = ("request is too large", "trying to send message larger than max", "code = ResourceExhausted")
KINDS = {
    (kind.api_version, kind.kind): kind
    for kind in (
        NAMESPACE,
        NODE,
        POD,
        CONFIG_MAP,
        SECRET,
        VOLUME,
        VOLUME_CLAIM,
        NETWORK_POLICY,
        JOB_SET,
        COHORT,
        CLUSTER_QUEUE,
        LOCAL_QUEUE,
        WORKLOAD,
    )
}


class ApiFailure(EngineError):
    """The API answered with an error; `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        # What the API refuses for its content it will refuse again. A missing namespace may come, and a server that has
        # just started forbids everything until it has read its rules.
        too_large = status == 500 and any(words in message for words in _TOO_LARGE)
        super().__init__(message, permanent=status in (400, 413, 422) or too_large)
        self.status = status


def _hang_up(answer: aiohttp.ClientResponse) -> None:
    """Leave an answer that may have no end. To close it asks the server first, and waits up to 30 s for its consent."""
    if (connection := answer.connection) is not None and connection.transport is not None:
        connection.transport.abort()
    answer.close()


class KubernetesClient:
    """A connection to one API server."""

    def __init__(self, api: Any) -> None:
        self._api = api

    @classmethod
    async def connect(cls, kubeconfig: Path | None) -> "KubernetesClient":
        """By a kubeconfig file, or by the service account of the pod. Raises ConfigurationError."""
        # Every followed log holds a connection: their number must not keep the engine from the API (0: no limit).
        settings = ClientConfiguration(connection_pool_maxsize=0)
        try:
            if kubeconfig is not None:
                await load_kube_config(config_file=str(kubeconfig), client_configuration=settings)
            else:
                load_incluster_config(client_configuration=settings)
        except (ConfigException, OSError) as error:
            raise ConfigurationError(f"cannot reach Kubernetes: {error}") from error
        api = ApiClient(configuration=settings)
        trusts = api.rest_client.ssl_context
        trusts.minimum_version = ssl.TLSVersion.TLSv1_3  # as with all whom the services ask
        return cls(api)

    async def close(self) -> None:
        """Give connections back."""
        await self._api.close()
        await asyncio.sleep(GOODBYE_S)

    async def get(self, kind: Kind, namespace: str | None, name: str) -> Object | None:
        """An object, None when there is none."""
        try:
            return await self._json("GET", kind.path(namespace, name))
        except ApiFailure as error:
            if error.status == 404:
                return None
            raise

    async def list(self, kind: Kind, *, selector: str = "") -> Object:
        """All objects of a kind in all namespaces, as the list object with its resourceVersion."""
        return await self._json("GET", kind.path(), query={"labelSelector": selector} if selector else {})

    async def apply(self, wanted: Object) -> Object:
        """Create or change an object by server-side apply."""
        kind = KINDS[(wanted["apiVersion"], wanted["kind"])]
        metadata = wanted["metadata"]
        return await self._json(
            "PATCH",
            kind.path(metadata.get("namespace"), metadata["name"]),
            query={"fieldManager": FIELD_MANAGER, "force": "true"},
            body=wanted,
            content_type="application/apply-patch+yaml",
        )

    async def create(self, wanted: Object) -> Object:
        """Create an object; when it exists already, return what there is."""
        kind = KINDS[(wanted["apiVersion"], wanted["kind"])]
        metadata = wanted["metadata"]
        try:
            return await self._json(
                "POST", kind.path(metadata.get("namespace")), query={"fieldManager": FIELD_MANAGER}, body=wanted
            )
        except ApiFailure as error:
            if error.status != 409:
                raise
            found = await self.get(kind, metadata.get("namespace"), metadata["name"])
            if found is None:
                raise
            return found

    async def delete(self, kind: Kind, namespace: str | None, name: str, *, propagation: str = "Background") -> bool:
        """Remove an object; whether there is none: one that others have to let go of first is there until then."""
        try:
            await self._json(
                "DELETE", kind.path(namespace, name), body={"kind": "DeleteOptions", "propagationPolicy": propagation}
            )
        except ApiFailure as error:
            if error.status not in (404, 409):  # 409: a name space that is being removed
                raise
            return error.status == 404
        return False

    async def watch(
        self, kind: Kind, resource_version: str, *, selector: str = ""
    ) -> AsyncIterator[tuple[str, Object]]:
        """Changes after `resource_version`, until the server ends the watch. Raises ApiFailure (410: list again)."""
        query = {
            "watch": "true",
            "resourceVersion": resource_version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(WATCH_S),
        }
        if selector:
            query["labelSelector"] = selector
        answer = await self._open("GET", kind.path(), query, None, None, WATCH_TIMEOUT)
        try:
            async for line in answer.content:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    status = event["object"]
                    raise ApiFailure(int(status.get("code", 500)), str(status.get("message", "")))
                yield event["type"], event["object"]
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise EngineError(f"a watch on {kind.plural} broke off: {error}") from error
        finally:
            _hang_up(answer)

    async def log(self, namespace: str, pod: str, container: str) -> AsyncGenerator[bytes, None]:
        """A container's output from its beginning, followed until it ends. Raises ApiFailure."""
        path = f"{POD.path(namespace, pod)}/log"
        answer = await self._open("GET", path, {"container": container, "follow": "true"}, None, None, 24 * 3600)
        try:
            async for chunk in answer.content.iter_any():
                yield chunk
        except (TimeoutError, aiohttp.ClientError) as error:
            raise EngineError(f"the log of {pod} broke off: {error}") from error
        finally:
            _hang_up(answer)

    async def _json(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str] | None = None,
        body: Object | None = None,
        content_type: str = "application/json",
    ) -> Object:
        answer = await self._open(method, path, query or {}, body, content_type, TIMEOUT_S)
        try:
            content: Object = await answer.json(content_type=None)
        except (TimeoutError, aiohttp.ClientError, ValueError) as error:
            raise EngineError(f"Kubernetes gave no whole answer: {error}") from error
        return content

    async def _open(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        body: Object | None,
        content_type: str | None,
        timeout: float | aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's own
    ) -> aiohttp.ClientResponse:
        headers = {"Accept": "application/json"}
        if content_type is not None:
            headers["Content-Type"] = content_type
        try:
            request = await self._api.param_serialize(
                method,
                path,
                query_params=list(query.items()),
                header_params=headers,
                body=body,
                auth_settings=["BearerToken"],
            )
            response = await self._api.call_api(*request, _request_timeout=timeout)
        except (OSError, TimeoutError, aiohttp.ClientError) as error:
            raise EngineError(f"Kubernetes does not answer: {error or type(error).__name__}") from error
        answer: aiohttp.ClientResponse = response.response
        if answer.status >= 400:
            text = await answer.text()
            try:
                message = str(json.loads(text).get("message", text))
            except ValueError:
                message = text
            raise ApiFailure(answer.status, message[:1000])
        return answer
