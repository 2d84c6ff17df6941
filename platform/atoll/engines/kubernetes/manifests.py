"""The objects of an attempt. Pure: from a submission to manifests."""

from typing import Any

from atoll import quantities
from atoll.engines.base import Submission
from atoll.engines.kubernetes import names
from atoll.engines.kubernetes.client import JOB_SET

GRACE_S = 30
RUNTIME = "/atoll-runtime"
# Debian's names of an architecture: of the directory of libraries, and of the program that loads them.
_LOADERS = {
    "amd64": ("x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
    "arm64": ("aarch64-linux-gnu", "ld-linux-aarch64.so.1"),
}
Manifest = dict[str, Any]


def labels(submission: Submission) -> dict[str, str]:
    """On every object of the attempt, its pods included."""
    return {
        **names.MANAGED_BY,
        names.ATTEMPT: submission.attempt_id,
        names.TASK: submission.task_id,
        names.USER: submission.user_name,
        names.DEVICE_TYPE: submission.device_type,
    }


def network_policy(submission: Submission) -> Manifest:
    """Replicas reach each other and the cluster's DNS; nothing else reaches them or is reached."""
    own = {"podSelector": {"matchLabels": {names.ATTEMPT: submission.attempt_id}}}
    dns = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
        "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {
            "name": names.job_set(submission.attempt_id),
            "namespace": names.namespace(submission.virtual_cluster),
            "labels": labels(submission),
        },
        "spec": {
            "podSelector": own["podSelector"],
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"from": [own]}],
            "egress": [
                {"to": [own]},
                {"to": [dns], "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]},
            ],
        },
    }


def job_set(submission: Submission) -> Manifest:
    """One indexed Job with a pod per node, queued as a whole."""
    name = names.job_set(submission.attempt_id)
    return {
        "apiVersion": JOB_SET.api_version,
        "kind": JOB_SET.kind,
        "metadata": {
            "name": name,
            "namespace": names.namespace(submission.virtual_cluster),
            "labels": {**labels(submission), names.QUEUE: names.local_queue(submission.user_name)},
            "annotations": {"atoll.io/task-name": submission.task_name},
        },
        "spec": {
            "suspend": True,  # Kueue starts it
            "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
            "successPolicy": {"operator": "All"},
            "failurePolicy": {"maxRestarts": 0},
            "replicatedJobs": [
                {
                    "name": names.REPLICATED_JOB,
                    "replicas": 1,
                    "template": {
                        "metadata": {"labels": labels(submission)},
                        "spec": {
                            "completionMode": "Indexed",
                            "completions": submission.nodes,
                            "parallelism": submission.nodes,
                            "backoffLimit": 0,
                            "template": {
                                "metadata": {"labels": labels(submission)},
                                "spec": _pod(submission, name),
                            },
                        },
                    },
                }
            ],
        },
    }


def _pod(submission: Submission, job_set_name: str) -> Manifest:
    pod: Manifest = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": GRACE_S,
        "nodeSelector": {"kubernetes.io/arch": _arch(submission)},
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": submission.uid,
            "runAsGroup": submission.uid,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(submission, job_set_name)],
        "volumes": [
            {"name": "home", "persistentVolumeClaim": {"claimName": names.VOLUME_CLAIM}},
            {"name": "entry", "configMap": {"name": names.ENTRY, "defaultMode": 0o444}},
            {"name": "identity", "configMap": {"name": names.identity(submission.user_name), "defaultMode": 0o444}},
            {"name": "tmp", "emptyDir": {"sizeLimit": "10Gi"}},
            # Shared memory of data loaders; it counts as memory of the pod, so the limit holds.
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": _half(submission.memory_limit)}},
        ],
    }
    if submission.runtime is not None:
        pod["volumes"].append(
            {"name": names.RUNTIME, "image": {"reference": submission.runtime, "pullPolicy": "IfNotPresent"}}
        )
    if submission.nodes > 1:
        # "Distributed" means several machines, also when no devices are asked for.
        selector = {"matchLabels": {names.ATTEMPT: submission.attempt_id}}
        pod["affinity"] = {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}
                ]
            }
        }
    return pod


def _container(submission: Submission, job_set_name: str) -> Manifest:
    limits: dict[str, str] = {"cpu": submission.cpu_limit, "memory": submission.memory_limit}
    requests: dict[str, str] = {"cpu": submission.cpu_request, "memory": submission.memory_request}
    if submission.devices:
        limits[submission.resource] = requests[submission.resource] = str(submission.devices)
    home = f"/home/{submission.user_name}"
    runtime = [{"name": names.RUNTIME, "mountPath": RUNTIME, "readOnly": True}] if submission.runtime else []
    return {
        "name": names.CONTAINER,
        "image": submission.image,
        "imagePullPolicy": "IfNotPresent",
        "command": [*_interpreter(submission), "/atoll/entry.py", *map(_literal, submission.command)],
        "workingDir": "/",
        "env": [{"name": name, "value": value} for name, value in _environment(submission, job_set_name, home).items()],
        "resources": {"limits": limits, "requests": requests},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "terminationMessagePath": "/dev/termination-log",
        "volumeMounts": [
            {"name": "home", "mountPath": home, "subPath": submission.user_name},
            {"name": "entry", "mountPath": "/atoll", "readOnly": True},
            {"name": "identity", "mountPath": "/etc/passwd", "subPath": "passwd", "readOnly": True},
            {"name": "identity", "mountPath": "/etc/group", "subPath": "group", "readOnly": True},
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - inside the container
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108
            *runtime,
        ],
    }


def _interpreter(submission: Submission) -> list[str]:
    """What runs the entry point: the engine's own Python, or the mounted one by its own loader, so that an image needs
    neither Python nor a C library nor a shell.
    """
    if submission.runtime is None:
        return ["python3"]
    libraries, loader = _LOADERS[_arch(submission)]
    path = f"{RUNTIME}/usr/lib/{libraries}"
    # Isolated: what the image sets for a Python of its own (PYTHONPATH, PYTHONHOME) is for that one.
    python = [f"{RUNTIME}/usr/bin/python3", "-I", "-S", "-B"]
    return [f"{path}/{loader}", "--inhibit-cache", "--library-path", path, *python]


def _arch(submission: Submission) -> str:
    return submission.device_type.rsplit("_", 1)[-1]


def _environment(submission: Submission, job_set_name: str, home: str) -> dict[str, str]:
    task = f"{home}/{submission.task_directory}"
    return {
        "HOME": home,
        "USER": submission.user_name,
        "ATOLL_TASK_ID": submission.task_id,
        "ATOLL_ATTEMPT": str(submission.number),
        "ATOLL_CODE_DIR": _literal(submission.working_directory or f"{home}/{submission.code_directory}".rstrip("/")),
        "ATOLL_START_FILE": _literal(submission.start_file or ""),
        "ATOLL_OUTPUT_DIR": _literal(f"{home}/{submission.output_directory}"),
        "ATOLL_LOG_FILE": f"{task}/log/{submission.number}-%RANK%.log",
        "ATOLL_METRICS_FILE": f"{task}/metrics.jsonl",
        "ATOLL_OUTCOME_FILE": "/dev/termination-log",
        # The API server is forbidden to tasks: while it is reachable, the network policy is not live yet.
        "ATOLL_HOLD_WHILE_REACHABLE": "$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)",
        "WORLD_SIZE": str(submission.nodes),
        "MASTER_ADDR": f"{job_set_name}-{names.REPLICATED_JOB}-0-0.{job_set_name}"
        if submission.nodes > 1
        else "127.0.0.1",
        "MASTER_PORT": str(names.MASTER_PORT),
    }


def _literal(text: str) -> str:
    """Text that Kubernetes passes on as it is: it expands `$(NAME)` and `$$` in commands and environments."""
    return text.replace("$", "$$")


def _half(memory: str) -> str:
    return quantities.memory_text(quantities.parse(memory) / 2)
