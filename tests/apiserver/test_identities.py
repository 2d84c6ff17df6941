"""Each identity's rights in the cluster, to the last verb: those of its work, and nothing else."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.apiserver.server import ADMINISTRATOR, ApiServer

Right = tuple[str, str, str]  # group, resource, verb
REVIEW = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
NAMESPACES = ("atoll-system", "vc-default", "kube-system")


def rights(group: str, resources: str, verbs: str) -> set[Right]:
    return {(group, resource, verb) for resource in resources.split() for verb in verbs.split()}


# What everybody has who is somebody: to ask who they are and what they may.
EVERYBODY = rights("authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews", "create") | rights(
    "authentication.k8s.io", "selfsubjectreviews", "create"
)
JOBS = (
    rights("", "namespaces configmaps persistentvolumes persistentvolumeclaims", "create patch")
    | rights("", "secrets", "create patch delete")
    | rights("", "pods nodes", "get list watch")
    | rights("", "pods/log", "get")
    | rights("jobset.x-k8s.io", "jobsets", "get list watch create delete")
    | rights("kueue.x-k8s.io", "cohorts clusterqueues localqueues", "create patch")
    | rights("kueue.x-k8s.io", "workloads", "get list watch")
    | rights("networking.k8s.io", "networkpolicies", "list watch create patch delete")
)
# It lies on every node.
ROUTER = (
    rights("", "namespaces pods services nodes endpoints", "list get watch")
    | rights("networking.k8s.io", "networkpolicies", "list get watch")
    | rights("discovery.k8s.io", "endpointslices", "list get watch")
)
# Service accounts of the platform, of the pod network, and of tasks. `api` and `files` do nothing in the cluster.
ACCOUNTS: dict[str, set[Right]] = {
    "atoll-system:jobs": JOBS,
    "atoll-system:api": set(),
    "atoll-system:files": set(),
    "atoll-system:default": set(),
    "kube-system:kube-router": ROUTER,
    "vc-default:default": set(),
    # Its name is no right: not that of its name space either.
    "vc-default:jobs": set(),
}


def ask(server: ApiServer, user: str, groups: tuple[str, ...], method: str, path: str, **more: Any) -> httpx.Response:
    names = [("Authorization", f"Bearer {ADMINISTRATOR}"), ("Impersonate-User", user)]
    names += [("Impersonate-Group", group) for group in (*groups, "system:authenticated")]
    return server.client.request(method, path, headers=names, **more)


@pytest.mark.parametrize("namespace", NAMESPACES)
@pytest.mark.parametrize("account", ACCOUNTS)
def test_a_service_account_has_the_rights_of_its_work_and_no_other(
    api_server: ApiServer, account: str, namespace: str
) -> None:
    user, of = f"system:serviceaccount:{account}", f"system:serviceaccounts:{account.partition(':')[0]}"
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {"namespace": namespace}}
    answer = ask(api_server, user, ("system:serviceaccounts", of), "POST", REVIEW, json=body)
    assert answer.status_code == 201, answer.text
    status = answer.json()["status"]
    found = {
        (group, resource, verb)
        for rule in status["resourceRules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert found == ACCOUNTS[account] | EVERYBODY
    assert not [rule for rule in status["resourceRules"] if rule.get("resourceNames")]
    assert {verb for rule in status["nonResourceRules"] for verb in rule["verbs"]} == {"get"}


# The API server's own authorizer of nodes tells no rules, so calls are tried: what is asked, and what is answered.
NODE = {
    "its own node": ("GET", "/api/v1/nodes/worker1", 404),
    "another's node": ("GET", "/api/v1/nodes/worker2", 403),
    "every node": ("GET", "/api/v1/nodes", 403),
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
