"""What each account may do, to the last verb: what is not here has no work to do. A new right is a line here."""

from __future__ import annotations

from dataclasses import dataclass, field

Right = tuple[str, str, str]  # group, resource (with the only name that it is about, or a path of the server), verb
READ = "get list watch"


def rights(group: str, resources: str, verbs: str, names: str = "") -> set[Right]:
    named = [
        f"{resource} {name}" if names else resource for resource in resources.split() for name in names.split() or [""]
    ]
    return {(group, resource, verb) for resource in named for verb in verbs.split()}


@dataclass(frozen=True)
class Account:
    """Rights in the whole cluster, and those in a name space."""

    anywhere: set[Right] = field(default_factory=set)
    within: dict[str, set[Right]] = field(default_factory=dict)

    def of(self, namespace: str) -> set[Right]:
        return self.anywhere | self.within.get(namespace, set())


# What everybody has who is somebody: to ask who they are and what they may.
EVERYBODY = rights("authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews", "create") | rights(
    "authentication.k8s.io", "selfsubjectreviews", "create"
)
_PUBLIC = "/api /api/* /apis /apis/* /openapi /openapi/* /version /version/ /healthz /livez /readyz"
PUBLIC = rights(
    "", f"{_PUBLIC} /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks", "get"
)
PUBLIC |= rights("", "/openid/v1/jwks/", "get")
ASKS_WHO_ASKS = rights("authentication.k8s.io", "tokenreviews", "create") | rights(
    "authorization.k8s.io", "subjectaccessreviews", "create"
)
LEADS = (
    rights("", "configmaps", f"{READ} create update patch delete")
    | rights("coordination.k8s.io", "leases", f"{READ} create update patch delete")
    | rights("", "events", "create patch")
)

JOBS = (
    rights("", "namespaces configmaps persistentvolumes", "create patch delete")
    | rights("", "persistentvolumeclaims", "create patch")
    | rights("", "secrets", "create patch delete")
    | rights("", "pods nodes", READ)
    | rights("", "pods/log", "get")
    | rights("jobset.x-k8s.io", "jobsets", f"{READ} create delete")
    | rights("kueue.x-k8s.io", "cohorts localqueues", "create patch delete")
    | rights("kueue.x-k8s.io", "clusterqueues", "list create patch delete")
    | rights("kueue.x-k8s.io", "workloads", READ)
    | rights("networking.k8s.io", "networkpolicies", "list watch create patch delete")
)
# It lies on every node.
ROUTER = (
    rights("", "namespaces pods services nodes endpoints", READ)
    | rights("networking.k8s.io", "networkpolicies", READ)
    | rights("discovery.k8s.io", "endpointslices", READ)
)
# Patroni's leader and configuration are ConfigMaps; it marks its pod.
DATABASE = (
    rights("", "configmaps", "create list watch")
    | rights("", "configmaps", "get patch", names="atoll-config atoll-leader atoll-failover atoll-sync")
    | rights("", "pods", "list watch")
    | rights("", "pods", "patch", names="database-0")
)
# Its pods are further bound by admission (atoll-local-volumes).
LOCAL_PATH = Account(
    rights("", "nodes persistentvolumeclaims", READ)
    | rights("", "persistentvolumes", f"{READ} create patch update delete")
    | rights("", "events", "create patch")
    | rights("storage.k8s.io", "storageclasses", READ),
    {
        "local-path-storage": rights("", "pods", "get create delete")
        | rights("", "pods/log", "get")
        | rights("", "configmaps", "get", names="local-path-config")
    },
)
# Writes of JobSet and Kueue are further bound by admission (atoll-queue-stays-in-virtual-clusters).
JOB_SET = Account(
    ASKS_WHO_ASKS
    | rights("", "nodes", READ)
    | rights("", "persistentvolumeclaims", f"{READ} create")
    | rights("", "pods", f"{READ} delete patch update")
    | rights("", "services", f"{READ} create delete patch update")
    | rights("", "events", "create patch update watch")
    | rights("events.k8s.io", "events", "create patch update watch")
    | rights("admissionregistration.k8s.io", "mutatingwebhookconfigurations validatingwebhookconfigurations", READ)
    | rights("batch", "jobs", f"{READ} create delete patch update")
    | rights("batch", "jobs/status", "get patch update")
    | rights("jobset.x-k8s.io", "jobsets", f"{READ} create delete patch update")
    | rights("jobset.x-k8s.io", "jobsets/finalizers", "update")
    | rights("jobset.x-k8s.io", "jobsets/status", "get patch update")
    | rights("", "/metrics", "get"),
    {"jobset-system": LEADS},
)
# Groups of frameworks that Kueue knows and that nobody serves here: rights to what there is not.
ABSENT = {
    *("autoscaling.x-k8s.io", "kubeflow.org", "leaderworkerset.x-k8s.io", "multicluster.x-k8s.io", "ray.io"),
    *("sparkoperator.k8s.io", "trainer.kubeflow.org", "workload.codeflare.dev"),
}
_WEBHOOKS = "admissionregistration.k8s.io"
_CONVERTED = " ".join(
    f"{kind}.kueue.x-k8s.io" for kind in ("clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads")
)
KUEUE = Account(
    ASKS_WHO_ASKS
    | rights("", "limitranges namespaces nodes", READ)
    | rights("", "pods", f"{READ} delete patch update")
    | rights("", "pods/finalizers", "get update")
    | rights("", "pods/status", "get patch")
    | rights("", "podtemplates", f"{READ} create delete update")
    | rights(_WEBHOOKS, "mutatingwebhookconfigurations validatingwebhookconfigurations", "list watch")
    | rights(_WEBHOOKS, "mutatingwebhookconfigurations", "get", names="kueue-mutating-webhook-configuration")
    | rights(_WEBHOOKS, "validatingwebhookconfigurations", "get", names="kueue-validating-webhook-configuration")
    | rights("apiextensions.k8s.io", "customresourcedefinitions", "list watch")
    | rights(
        "apiextensions.k8s.io",
        "customresourcedefinitions",
        "get",
        names=f"{_CONVERTED} clusterprofiles.multicluster.x-k8s.io",
    )
    | rights("apps", "deployments replicasets statefulsets", READ)
    | rights("batch", "jobs", f"{READ} delete patch update")
    | rights("batch", "jobs/finalizers jobs/status", "get patch update")
    | rights("events.k8s.io", "events", "create patch update watch")
    | rights("flowcontrol.apiserver.k8s.io", "flowschemas prioritylevelconfigurations", "list watch")
    | rights("flowcontrol.apiserver.k8s.io", "flowschemas/status", "patch")
    | rights("jobset.x-k8s.io", "jobsets", f"{READ} delete patch update")
    | rights("jobset.x-k8s.io", "jobsets/finalizers", "get update")
    | rights("jobset.x-k8s.io", "jobsets/status", "get patch update")
    | rights("kueue.x-k8s.io", "admissionchecks clusterqueues resourceflavors topologies", f"{READ} update")
    | rights("kueue.x-k8s.io", "cohorts localqueues multikueueclusters multikueueconfigs", READ)
    | rights("kueue.x-k8s.io", "provisioningrequestconfigs workloadpriorityclasses", READ)
    | rights("kueue.x-k8s.io", "workloads", f"{READ} create delete patch update")
    | {
        ("kueue.x-k8s.io", f"{kind}/finalizers", "update")
        for kind in ("admissionchecks", "clusterqueues", "resourceflavors", "topologies", "workloads")
    }
    | {
        ("kueue.x-k8s.io", f"{kind}/status", verb)
        for kind in ("admissionchecks", "clusterqueues", "cohorts", "localqueues", "multikueueclusters", "workloads")
        for verb in ("get", "patch", "update")
    }
    | rights("node.k8s.io", "runtimeclasses", READ)
    | rights("resource.k8s.io", "deviceclasses resourceclaims resourceclaimtemplates resourceslices", READ)
    | rights("scheduling.k8s.io", "priorityclasses", READ),
    {
        "kueue-system": LEADS | rights("", "secrets", READ),
        "kube-system": rights("", "configmaps", READ, names="extension-apiserver-authentication"),
    },
)

# Service accounts of the platform, of the system, and of tasks. `api` and `files` do nothing in the cluster.
ACCOUNTS: dict[str, Account] = {
    "kube-system:kube-router": Account(ROUTER),
    "atoll-system:jobs": Account(JOBS),
    "atoll-system:database": Account(within={"atoll-system": DATABASE}),
    "atoll-system:api": Account(),
    "atoll-system:files": Account(),
    "atoll-system:default": Account(),
    "atoll-monitoring:prometheus": Account(rights("", "nodes pods", READ) | rights("", "nodes/metrics", "get")),
    "atoll-monitoring:kube-state-metrics": Account(
        rights("", "nodes pods persistentvolumeclaims persistentvolumes", "list watch")
        | rights("apps", "deployments daemonsets statefulsets", "list watch")
        | rights("batch", "jobs", "list watch")
    ),
    "local-path-storage:local-path-provisioner": LOCAL_PATH,
    "jobset-system:jobset-controller-manager": JOB_SET,
    "kueue-system:kueue-controller-manager": KUEUE,
    "vc-default:default": Account(),
    # Its name is no right: not that of its name space either.
    "vc-default:jobs": Account(),
}
