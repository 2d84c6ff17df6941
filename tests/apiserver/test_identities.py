"""Each identity's rights in the cluster, to the last verb: those of its work, and nothing else."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.apiserver.rights import ABSENT, ACCOUNTS, EVERYBODY, PUBLIC, Account, Right
from tests.apiserver.server import ADMINISTRATOR, ApiServer, Object

REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
NAMESPACES = sorted({"vc-default", "kube-system", *(each.partition(":")[0] for each in ACCOUNTS)})


def ask(server: ApiServer, user: str, groups: tuple[str, ...], method: str, path: str, **more: Any) -> httpx.Response:
    names = [("Authorization", f"Bearer {ADMINISTRATOR}"), ("Impersonate-User", user)]
    names += [("Impersonate-Group", group) for group in (*groups, "system:authenticated")]
    names += more.pop("headers", {}).items()
    return server.client.request(method, path, headers=names, **more)


def found(server: ApiServer, account: str, namespace: str) -> set[Right]:
    user, of = f"system:serviceaccount:{account}", f"system:serviceaccounts:{account.partition(':')[0]}"
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": namespace}}
    answer = ask(server, user, ("system:serviceaccounts", of), "POST", REVIEW, json=body)
    assert answer.status_code == 201, answer.text
    status = answer.json()["status"]
    told = {
        (group, f"{resource} {name}" if name else resource, verb)
        for rule in status["resourceRules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for name in rule.get("resourceNames") or ("",)
        for verb in rule["verbs"]
    }
    paths = {
        ("", path, verb)
        for rule in status["nonResourceRules"]
        for path in rule["nonResourceURLs"]
        for verb in rule["verbs"]
    }
    return (told | paths) - EVERYBODY - PUBLIC


@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_service_account_has_the_rights_of_its_work_and_no_other(api_server: ApiServer, account: str) -> None:
    has = {namespace: found(api_server, account, namespace) for namespace in NAMESPACES}
    has = {namespace: {right for right in rights if right[0] not in ABSENT} for namespace, rights in has.items()}
    assert has == {namespace: ACCOUNTS[account].of(namespace) for namespace in NAMESPACES}


def test_what_nobody_serves_may_be_anybodys(api_server: ApiServer) -> None:
    groups = {group["name"] for group in api_server.ask("GET", "/apis").json()["groups"]}
    assert not groups & ABSENT


def test_every_account_that_is_given_rights_has_a_row(installed: list[Object]) -> None:
    bound = {
        f"{subject['namespace']}:{subject['name']}"
        for item in installed
        if item["kind"] in ("ClusterRoleBinding", "RoleBinding")
        for subject in item["subjects"]
    }
    assert bound <= ACCOUNTS.keys()
    assert {name for name, account in ACCOUNTS.items() if account != Account()} == bound


# The API server's own authorizer of nodes tells no rules, so calls are tried: what is asked, and what is answered.
NODE = {
    "its own node": ("GET", "/api/v1/nodes/worker1", 404),
    "another's node": ("GET", "/api/v1/nodes/worker2", 403),
    "every node": ("GET", "/api/v1/nodes", 403),
    "another's measurements": ("GET", "/api/v1/nodes/worker2/proxy/metrics", 403),
    "another's lease": ("PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/worker2", 403),
    "its own pods": ("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dworker1", 200),
    "every pod": ("GET", "/api/v1/pods", 403),
    "another's pods": ("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dworker2", 403),
    "services": ("GET", "/api/v1/services", 200),
    "a secret of nobody's pod": ("GET", "/api/v1/namespaces/atoll-system/secrets/platform-secrets", 403),
    "every secret": ("GET", "/api/v1/secrets", 403),
    "secrets of the platform": ("GET", "/api/v1/namespaces/atoll-system/secrets", 403),
    "a configuration of nobody's pod": ("GET", "/api/v1/namespaces/atoll-system/configmaps/api-config", 403),
    "a program in a pod": ("POST", "/api/v1/namespaces/vc-default/pods/one/exec?command=true", 403),
    "tasks": ("GET", "/apis/jobset.x-k8s.io/v1alpha2/jobsets", 403),
    "a task": ("DELETE", "/apis/jobset.x-k8s.io/v1alpha2/namespaces/vc-default/jobsets/one", 403),
    "its own removal": ("DELETE", "/api/v1/nodes/worker1", 403),
    "a name space": ("DELETE", "/api/v1/namespaces/vc-default", 403),
    "a network policy": ("DELETE", "/apis/networking.k8s.io/v1/namespaces/vc-default/networkpolicies/one", 403),
    "roles": ("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles", 403),
    "a policy of admission": (
        "DELETE",
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/atoll-tasks?dryRun=All",
        403,
    ),
    "a token of `jobs`": ("POST", "/api/v1/namespaces/atoll-system/serviceaccounts/jobs/token", 403),
}


def test_a_kubelet_gets_at_its_own_node_and_pods_and_at_nobody_elses(api_server: ApiServer) -> None:
    found = {
        what: ask(api_server, "system:node:worker1", ("system:nodes",), method, path, json={}).status_code
        for what, (method, path, _) in NODE.items()
    }
    assert found == {what: status for what, (_, _, status) in NODE.items()}
