"""Who is answered by the API server, and what it writes down, with the files of a master."""

from __future__ import annotations

import json
import time

import pytest

from tests.apiserver.server import JOBS, KNOWN, ApiServer
from tests.system.harness import wait_for

NODES_TOKEN, CONTROLLERS_TOKEN = "a-node", "a-controller"  # of groups whose other doings are noise
WAYS = ("exec", "attach", "portforward")
CLUSTER_INFO = "/api/v1/namespaces/kube-public/configmaps/cluster-info"


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/healthz"])
def test_who_is_nobody_is_told_whether_it_is_well(api_server: ApiServer, path: str) -> None:
    assert api_server.client.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/version", CLUSTER_INFO, "/", "/api", "/openapi/v2", "/livez/etcd", "/metrics"])
def test_who_is_nobody_is_told_nothing_else(api_server: ApiServer, path: str) -> None:
    assert api_server.client.get(path).status_code == 401


def entries(api_server: ApiServer, since: str) -> list[tuple[str, str, str]]:
    """User, verb and what was asked for, of requests since then."""
    found = []
    for line in api_server.audit_log.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if entry["requestReceivedTimestamp"] >= since and entry["level"] != "None":
            assert entry["level"] == "Metadata", "bodies may hold secrets"
            about = entry.get("objectRef", {})
            user = entry.get("impersonatedUser", entry["user"])["username"]
            what = "/".join(filter(None, (about.get("resource"), about.get("subresource"))))
            found.append((user, entry["verb"], what))
    return found


def test_who_goes_into_a_pod_or_reads_a_secret_is_written_down(api_server: ApiServer) -> None:
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    controller, _ = KNOWN[CONTROLLERS_TOKEN]
    pod = "/api/v1/namespaces/vc-default/pods/none"
    for way in WAYS:
        for method in ("GET", "POST"):
            api_server.ask(method, f"{pod}/{way}", params={"command": "sh"})
    api_server.ask("GET", "/api/v1/namespaces/kube-system/secrets/some")
    api_server.ask("GET", "/api/v1/secrets", headers={"Authorization": f"Bearer {CONTROLLERS_TOKEN}"})
    api_server.ask("GET", "/api/v1/namespaces/atoll-system/secrets", JOBS)
    api_server.ask("GET", "/api/v1/pods", headers={"Authorization": f"Bearer {CONTROLLERS_TOKEN}"})
    api_server.ask("POST", f"{pod}/exec", headers={"Authorization": f"Bearer {CONTROLLERS_TOKEN}"})
    api_server.ask("GET", "/api/v1/configmaps")
    wanted = {
        *(("administrator", verb, f"pods/{way}") for way in WAYS for verb in ("get", "create")),
        ("administrator", "get", "secrets"),
        (controller, "list", "secrets"),
        (controller, "create", "pods/exec"),
        (JOBS, "list", "secrets"),
    }
    found = wait_for("the entries", lambda: wanted <= (seen := set(entries(api_server, since))) and seen, 20)
    assert not found & {(controller, "list", "pods"), ("administrator", "list", "configmaps")}


@pytest.mark.parametrize("token", [NODES_TOKEN, CONTROLLERS_TOKEN])
def test_who_asks_for_a_token_or_makes_a_node_is_written_down_whoever_it_is(api_server: ApiServer, token: str) -> None:
    """As a stolen credential of a node would: by groups whose other doings are noise; also what is refused."""
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    of_system, requests = "/api/v1/namespaces/kube-system", "/apis/certificates.k8s.io/v1/certificatesigningrequests"

    def ask(method: str, path: str) -> None:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/merge-patch+json"}
        api_server.ask(method, path, headers=headers, json={})

    ask("POST", f"{of_system}/serviceaccounts/default/token")
    ask("POST", requests)
    ask("PATCH", f"{requests}/some/approval")
    ask("PATCH", "/api/v1/nodes/master1")
    ask("PATCH", "/api/v1/nodes/worker1/status")
    ask("GET", "/api/v1/nodes")
    name, _ = KNOWN[token]
    wanted = {
        (name, "create", "serviceaccounts/token"),
        (name, "create", "certificatesigningrequests"),
        (name, "patch", "certificatesigningrequests/approval"),
        (name, "patch", "nodes"),
    }
    found = wait_for("the entries", lambda: wanted <= (seen := set(entries(api_server, since))) and seen, 20)
    assert not found & {(name, "patch", "nodes/status"), (name, "list", "nodes")}
