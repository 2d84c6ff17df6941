"""Names and labels of what the engine makes."""

VIRTUAL_CLUSTER = "atoll.io/virtual-cluster"  # "true" on name spaces: admission policies and webhooks select by it
CLUSTER_NAME = "atoll.io/virtual-cluster-name"
ATTEMPT = "atoll.io/attempt"
TASK = "atoll.io/task"
USER = "atoll.io/user"
DEVICE_TYPE = "atoll.io/device-type"
TASK_NAME = "atoll.io/task-name"
MODE = "atoll.io/mode"
RESTARTABLE = "atoll.io/restartable"
QUEUE = "kueue.x-k8s.io/queue-name"
JOB_INDEX = "batch.kubernetes.io/job-completion-index"
USER_NAMESPACES = "atoll.io/user-namespaces"  # of a node, "true" where containers were seen to have one
MANAGED_BY = {"app.kubernetes.io/managed-by": "atoll"}

ROOT_COHORT = "cluster"
FLAVOR = "default"
VOLUME_CLAIMS = {"homes": "home", "datasets": "datasets", "models": "models"}  # claim: directory of the tree
ALLOW_LIST = "allow-list"
ENTRY = "entry"
REPLICATED_JOB = "task"
CONTAINER = "task"
HOLD = "hold"
RUNTIME = "runtime"
MASTER_PORT = 29500


def namespace(cluster: str, *, privileged: bool = False) -> str:
    """The name space of a virtual cluster, or of its privileged jobs, which is no other one's: `-root` is reserved."""
    return f"vc-{cluster}-root" if privileged else f"vc-{cluster}"


def volume(namespace: str, claim: str) -> str:
    """User data of one kind, for the claim of that name in the name space."""
    return f"{namespace}-{claim}"


def cohort(cluster: str) -> str:
    """The quota of a virtual cluster."""
    return f"vc-{cluster}"


def cluster_queue(cluster: str, user: str) -> str:
    """The quota of a member. No virtual cluster has two hyphens in a row in its name, so it is nobody else's."""
    return f"vc-{cluster}--{user}"


def local_queue(user: str) -> str:
    """A member's queue in the name space."""
    return user


def identity(user: str) -> str:
    """The ConfigMap with a user's passwd and group entries."""
    return f"user-{user}"


def job_set(attempt_id: str) -> str:
    """An attempt. It names a Service as well, so it begins with a letter."""
    return f"t-{attempt_id}"
