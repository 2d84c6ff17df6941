"""The little of the Kubernetes API that services need, as plain JSON, over the official client's connection."""

from __future__ import annotations

import base64
import datetime as dt
import json
import os
import re
import ssl
import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import urllib3
import yaml

from installer.errors import ToldError
from installer.exit_codes import UNAVAILABLE
from installer.services.log_lines import LINE_BYTES, lines_in
from installer.services.stop import Stop
from installer.services.table import Workload
from installer.ssh.nodes import shown

if TYPE_CHECKING:  # loading it costs more than all the rest of a command that asks nothing
    from kubernetes import client

PLURALS = {"Deployment": "deployments", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets"}
STOPPED_SELECTOR = "atoll.io/stopped"
REPLICAS_BEFORE_STOP = "atoll.io/replicas-before-stop"
RESTARTED_AT = "atoll.io/restarted-at"
TIMEOUT = (3.0, 10.0)  # seconds to connect, to answer
NOT_CONNECTED = (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError)


class KubernetesUnavailable(ToldError):
    """The API server cannot be reached, or refuses us."""

    exit_code = UNAVAILABLE

    def __init__(self, message: str) -> None:
        remedy = "Look at `service_ctl status kubernetes` and `service_ctl logs kubernetes`; both work without it."
        super().__init__(message, remedy)


class NotThere(ToldError):
    """The object does not exist."""

    def __init__(self, what: str) -> None:
        remedy = "Run `./atoll plan` on the control host: something of the cluster is missing."
        super().__init__(f"{what} does not exist in the cluster", remedy)


class KubernetesApi:
    """A connection to the API server with the cluster's administrator configuration.

    `servers` are the URLs of all API servers, the one that answered last first: where one cannot be connected to, the
    next is asked. Without them it is the one of the configuration.
    """

    def __init__(self, kubeconfig: Path, servers: Sequence[str] = ()) -> None:
        self._kubeconfig = kubeconfig
        self.servers = tuple(servers)
        self._client: client.ApiClient | None = None
        self._connecting = threading.Lock()

    def workloads(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """Return every Deployment, StatefulSet and DaemonSet by kind, namespace and name."""
        found = {}
        for kind, plural in PLURALS.items():
            for item in self._get(f"/apis/apps/v1/{plural}")["items"]:
                found[kind, item["metadata"]["namespace"], item["metadata"]["name"]] = item
        return found

    def workload(self, of: Workload) -> dict[str, Any]:
        """Return one workload."""
        return self._get(_path(of))

    def pods(self, namespace: str | None = None, labels: str = "") -> list[dict[str, Any]]:
        """Return the pods of a namespace, or all."""
        scope = f"/namespaces/{namespace}" if namespace else ""
        items: list[dict[str, Any]] = self._get(f"/api/v1{scope}/pods", labelSelector=labels)["items"]
        return items

    def services(self) -> list[dict[str, Any]]:
        """Return the Services of all namespaces."""
        items: list[dict[str, Any]] = self._get("/api/v1/services")["items"]
        return items

    def nodes(self) -> list[dict[str, Any]]:
        """Return the nodes."""
        items: list[dict[str, Any]] = self._get("/api/v1/nodes")["items"]
        return items

    def config_map(self, namespace: str, name: str) -> dict[str, str]:
        """Return the data of a ConfigMap."""
        data: dict[str, str] = self._get(f"/api/v1/namespaces/{namespace}/configmaps/{name}").get("data") or {}
        return data

    def log(self, namespace: str, pod: str, container: str, lines: int, stop: Stop | None) -> Generator[str]:
        """Return the log lines of a container; with `stop` it goes on until the container ends or `stop` is set."""
        response = self._call(
            "GET",
            f"/api/v1/namespaces/{namespace}/pods/{pod}/log",
            query={"container": container, "tailLines": lines, "follow": str(stop is not None).lower()},
            timeout=(TIMEOUT[0], None if stop else TIMEOUT[1]),
        )
        if stop:
            stop.add(lambda: _shut(response))
        try:
            # Without an amount it comes as it is said, which may be in one piece, however long that is.
            yield from lines_in(response.stream(amt=None if stop else LINE_BYTES, decode_content=True))
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
            # A ValueError is what reading from a connection that `stop` has shut down may end with.
            if not (stop and stop.is_set()):
                raise KubernetesUnavailable(f"the log was cut off: {error}") from None
        finally:
            response.release_conn()

    def restart(self, of: Workload) -> None:
        """Replace the pods of a workload one after the other, as its update strategy says."""
        now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        template = {"metadata": {"annotations": {RESTARTED_AT: now}}}
        self._patch(_path(of), {"spec": {"template": template}})

    def stop(self, of: Workload) -> bool:
        """Take the pods of a workload away; return whether it had any."""
        seen = self.workload(of)
        if of.kind == "DaemonSet":
            selector = seen["spec"]["template"]["spec"].get("nodeSelector") or {}
            if STOPPED_SELECTOR in selector:
                return False
            self._patch(_path(of), _node_selector("true"))
            return True
        replicas = int(seen["spec"].get("replicas", 1))
        if replicas == 0:
            return False
        annotations = {REPLICAS_BEFORE_STOP: str(replicas)}
        self._patch(_path(of), {"metadata": {"annotations": annotations}, "spec": {"replicas": 0}})
        return True

    def start(self, of: Workload) -> bool:
        """Bring the pods of a stopped workload back; return whether it was stopped."""
        seen = self.workload(of)
        if of.kind == "DaemonSet":
            selector = seen["spec"]["template"]["spec"].get("nodeSelector") or {}
            if STOPPED_SELECTOR not in selector:
                return False
            self._patch(_path(of), _node_selector(None))
            return True
        if int(seen["spec"].get("replicas", 1)) > 0:
            return False
        before = (seen["metadata"].get("annotations") or {}).get(REPLICAS_BEFORE_STOP, "1")
        annotations = {REPLICAS_BEFORE_STOP: None}
        self._patch(_path(of), {"metadata": {"annotations": annotations}, "spec": {"replicas": int(before)}})
        return True

    def _get(self, path: str, **query: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._call("GET", path, {k: v for k, v in query.items() if v}).data)
        return answer

    def _patch(self, path: str, patch: dict[str, Any]) -> None:
        self._call("PATCH", path, {"fieldManager": "atoll-service"}, patch)

    def _call(
        self,
        method: str,
        path: str,
        query: dict[str, Any] | None = None,
        body: dict[str, Any] | None = None,
        timeout: tuple[float, float | None] = TIMEOUT,
    ) -> Any:
        headers = {"Accept": "application/json, */*"}
        if body is not None:
            headers["Content-Type"] = "application/strategic-merge-patch+json"
        connection = self._connect()
        from kubernetes.client import ApiException

        tried = []
        for server in self.servers or (connection.configuration.host,):
            request = connection.param_serialize(
                method,
                path,
                query_params=list((query or {}).items()),
                header_params=headers,
                body=body,
                auth_settings=["BearerToken"],
                _host=server,
            )
            try:
                response = connection.call_api(*request, _request_timeout=timeout).response
            except (urllib3.exceptions.HTTPError, ApiException, OSError) as error:
                cause = getattr(error, "reason", None) or error
                words = re.sub(r"^\w+Connection\(.*?\): ", "", str(cause))
                tried.append(f"{server.removeprefix('https://')}: {words}")
                if isinstance(cause, NOT_CONNECTED):
                    continue  # it has not seen the request
                break
            if self.servers:  # those that are away cost seconds, each time
                self.servers = (server, *(other for other in self.servers if other != server))
            return _answer(response, method, path)
        raise KubernetesUnavailable(f"the API server does not answer ({'; '.join(tried)})")

    def _connect(self) -> client.ApiClient:
        with self._connecting:
            if self._client is None:
                try:
                    self._client = _client(self._kubeconfig)
                except yaml.YAMLError:  # its words would quote the file, and the key with it
                    raise KubernetesUnavailable(f"{self._kubeconfig} cannot be used: it is not YAML") from None
                except (OSError, ValueError, LookupError, TypeError) as error:
                    raise KubernetesUnavailable(f"{self._kubeconfig} cannot be used: {error}") from None
            return self._client


def _answer(response: Any, method: str, path: str) -> Any:
    if response.status == 404:
        raise NotThere(path)
    if not 200 <= response.status <= 299:
        said = shown(response.data.decode(errors="replace"), 300)
        raise KubernetesUnavailable(f"the API server answered {response.status} to {method} {path}: {said}")
    return response


def _shut(response: urllib3.BaseHTTPResponse) -> None:
    """End whoever waits for more of an answer, unless its reader has ended and given the connection back by itself."""
    with suppress(OSError, RuntimeError, ValueError):  # closed, given back, or never open: whichever came first
        response.shutdown()


def _client(kubeconfig: Path) -> client.ApiClient:
    """Connect as a kubeconfig says. The library's own reader would leave the private key in the folder for drafts."""
    from kubernetes import client

    content = yaml.safe_load(kubeconfig.read_text("utf-8"))
    context = _named(content["contexts"], content["current-context"])["context"]
    cluster = _named(content["clusters"], context["cluster"])["cluster"]
    user = _named(content["users"], context["user"])["user"]
    settings = client.Configuration(host=cluster["server"])
    settings.retries = 0  # who asks decides about asking again
    settings.proxy = None  # the control host may have one for the internet; the nodes are not behind it
    made = client.ApiClient(settings)
    if "certificate-authority-data" in cluster:
        trust = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        pieces = [base64.b64decode(user[f"client-{name}-data"]) for name in ("certificate", "key")]
        _present(trust, b"\n".join(pieces))
        made.rest_client.pool_manager.connection_pool_kw["ssl_context"] = trust
    return made


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next((entry for entry in entries if entry["name"] == name), {})


def _present(trust: ssl.SSLContext, pem: bytes) -> None:
    """Take a certificate and its key from memory: `ssl` reads them from files only, and a kill would leave one."""
    with os.fdopen(os.memfd_create("client"), "wb") as memory:
        memory.write(pem)
        memory.flush()
        trust.load_cert_chain(f"/proc/self/fd/{memory.fileno()}")


def _node_selector(value: str | None) -> dict[str, Any]:
    return {"spec": {"template": {"spec": {"nodeSelector": {STOPPED_SELECTOR: value}}}}}


def _path(of: Workload) -> str:
    return f"/apis/apps/v1/namespaces/{of.namespace}/{PLURALS[of.kind]}/{of.name}"
