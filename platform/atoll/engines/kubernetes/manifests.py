"""The objects of an attempt. Pure: from a submission to manifests."""

from dataclasses import dataclass
from typing import Any

from atoll import quantities
from atoll.devices.limits import LOCAL_DISK
from atoll.engines.base import EngineError, Submission
from atoll.engines.entry import BESIDE, GIVEN, HOLD
from atoll.engines.kubernetes import mounts, names, security
from atoll.engines.kubernetes.client import JOB_SET, SECRET
from atoll.engines.specification import (
    CommandReadiness,
    HttpReadiness,
    LocalDisk,
    Readiness,
    TcpReadiness,
    port_variable,
)

RUNTIME = "/atoll-runtime"
OUTCOME_FILE = "/dev/termination-log"
HELD_FILE = "/dev/shm/.atoll-held"  # noqa: S108 - inside the container, made new for each pod
# Debian's names of an architecture: of the directory of libraries, and of the program that loads them.
_LOADERS = {
    "amd64": ("x86_64-linux-gnu", "ld-linux-x86-64.so.2"),
    "arm64": ("aarch64-linux-gnu", "ld-linux-aarch64.so.1"),
}
# Isolated: what is set for programs in Python (PYTHONPATH, PYTHONHOME), also by the image, is for those.
_ISOLATED = ("-I", "-S", "-B", "/atoll/entry.py")
_EPHEMERAL = "ephemeral-storage"
# So many ids the kubelet gives a pod with a user namespace: one of a greater uid could not start in it.
MAPPED_IDS = 65536
GATEWAY_PORT, DNS_PORT = 443, 53
Manifest = dict[str, Any]


@dataclass(frozen=True)
class Landmarks:
    """Where a task finds out whether its network policy is enforced."""

    gateways: tuple[str, ...] = ()  # addresses of the masters, on each of which the gateway has its port
    name_service: str | None = None


UNMARKED = Landmarks()


def namespace(submission: Submission) -> str:
    """Where it runs: privileged jobs have a name space of their own beside their virtual cluster's."""
    return names.namespace(submission.virtual_cluster, privileged=submission.specification.privileged)


def labels(submission: Submission) -> dict[str, str]:
    """On every object of the attempt, its pods included."""
    device_type = submission.specification.devices.type
    return {
        **names.MANAGED_BY,
        names.ATTEMPT: submission.attempt_id,
        names.TASK: submission.task_id,
        names.USER: submission.user_name,
        **({names.DEVICE_TYPE: device_type} if device_type is not None else {}),
    }


def network_policy(job_set: Manifest) -> Manifest:
    """Of a JobSet: its replicas reach each other and the cluster's DNS; nothing else reaches them or is reached."""
    metadata = job_set["metadata"]
    kept = {name: value for name, value in metadata["labels"].items() if name != names.QUEUE}
    own = {"podSelector": {"matchLabels": {names.ATTEMPT: kept[names.ATTEMPT]}}}
    dns = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
        "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": metadata["name"], "namespace": metadata["namespace"], "labels": kept},
        "spec": {
            "podSelector": own["podSelector"],
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"from": [own]}, *_reached_from_outside(job_set)],
            "egress": [
                {"to": [own]},
                {"to": [dns], "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]},
            ],
        },
    }


def _reached_from_outside(job_set: Manifest) -> list[Manifest]:
    """Declared ports, for the gateway alone: it asks the API who may."""
    ports = container(job_set).get("ports")
    if not ports:
        return []
    gateway = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "atoll-system"}},
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "gateway"}},
    }
    return [{"from": [gateway], "ports": [{"protocol": "TCP", "port": port["containerPort"]} for port in ports]}]


def container(job_set: Manifest) -> Manifest:
    """The container of each replica as it was asked for."""
    job = job_set["spec"]["replicatedJobs"][0]["template"]["spec"]
    found: Manifest = job["template"]["spec"]["containers"][0]
    return found


def secret(submission: Submission, job_set_uid: str) -> Manifest | None:
    """The secret variables, for this attempt's pods alone; gone with the JobSet, also where they come after it went."""
    values = submission.specification.secret_values()
    if not values:
        return None
    return {
        "apiVersion": "v1",
        "kind": SECRET.kind,
        "metadata": {
            "name": names.job_set(submission.attempt_id),
            "namespace": namespace(submission),
            "labels": labels(submission),
            "ownerReferences": [
                {
                    "apiVersion": JOB_SET.api_version,
                    "kind": JOB_SET.kind,
                    "name": names.job_set(submission.attempt_id),
                    "uid": job_set_uid,
                }
            ],
        },
        "type": "Opaque",
        "immutable": True,
        "stringData": values,
    }


def job_set(
    submission: Submission,
    local_disk: str = LOCAL_DISK,
    landmarks: Landmarks = UNMARKED,
    *,
    user_namespace: bool = False,
) -> Manifest:
    """One indexed Job with a pod per node, queued as a whole.

    `local_disk` is for specifications that say nothing of it; `user_namespace` says that all machines of the task can
    give its pods one.
    """
    name = names.job_set(submission.attempt_id)
    return {
        "apiVersion": JOB_SET.api_version,
        "kind": JOB_SET.kind,
        "metadata": {
            "name": name,
            "namespace": namespace(submission),
            "labels": {**labels(submission), names.QUEUE: names.local_queue(submission.user_name)},
            "annotations": {
                names.TASK_NAME: submission.task_name,
                names.MODE: submission.specification.mode,
                names.RESTARTABLE: str(submission.specification.restartable).lower(),
            },
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
                            "completions": submission.specification.devices.nodes,
                            "parallelism": submission.specification.devices.nodes,
                            "backoffLimit": 0,
                            "template": {
                                "metadata": {"labels": labels(submission)},
                                "spec": _pod(submission, name, local_disk, landmarks, user_namespace),
                            },
                        },
                    },
                }
            ],
        },
    }


def _pod(
    submission: Submission, job_set_name: str, local_disk: str, landmarks: Landmarks, user_namespace: bool
) -> Manifest:
    specification = submission.specification
    arch = specification.devices.architecture
    pod: Manifest = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": submission.specification.grace_s,
        "nodeSelector": {"kubernetes.io/arch": arch} if arch is not None else {},
        "securityContext": security.of_pod(submission),
        "containers": [_container(submission, job_set_name, local_disk, landmarks)],
        "volumes": [
            *mounts.volumes(submission.specification.mounts),
            {"name": "entry", "configMap": {"name": names.ENTRY, "defaultMode": 0o444}},
            *mounts.identity_volume(submission),
            {"name": "tmp", "emptyDir": {"sizeLimit": "10Gi"}},
            # Shared memory of data loaders; it counts as memory of the pod, so the limit holds.
            {
                "name": "shm",
                "emptyDir": {"medium": "Memory", "sizeLimit": _half(specification.limits.memory)},
            },
        ],
    }
    if submission.specification.program.runtime is not None:
        pod["volumes"].append(
            {
                "name": names.RUNTIME,
                "image": {"reference": submission.specification.program.runtime, "pullPolicy": "IfNotPresent"},
            }
        )
        pod["initContainers"] = [_hold(submission, submission.specification.program.runtime, landmarks)]
    if user_namespace and submission.uid < MAPPED_IDS:
        pod["hostUsers"] = False
        # A machine that comes while the task waits may have none: the pod would never start there.
        pod["nodeSelector"][names.USER_NAMESPACES] = "true"
    if specification.devices.nodes > 1:
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


def _hold(submission: Submission, runtime: str, landmarks: Landmarks) -> Manifest:
    """Waits for the network policy in an image of ours: in one of the user's own, a library that its loader is told to
    load (`/etc/ld.so.preload`, variables of the image) would act in our entry point, too. It asks for no more than the
    task does, so that it costs nothing of the quota.
    """
    specification = submission.specification
    return {
        "name": names.HOLD,
        "image": runtime,
        "imagePullPolicy": "IfNotPresent",
        "command": [*_interpreter(submission, ""), HOLD],
        "workingDir": "/",
        "env": [
            {"name": name, "value": value}
            for name, value in {"ATOLL_OUTCOME_FILE": OUTCOME_FILE, **_holding(landmarks)}.items()
        ],
        "resources": {"limits": specification.limits.model_dump(), "requests": specification.requests.model_dump()},
        "securityContext": security.powerless(),
        "terminationMessagePath": OUTCOME_FILE,
        "volumeMounts": [{"name": "entry", "mountPath": "/atoll", "readOnly": True}],
    }


def _holding(landmarks: Landmarks) -> dict[str, str]:
    """What is asked to find out whether the network policy is enforced; `entry.py` says what each answer means."""
    found = {
        "ATOLL_HOLD_WHILE_REACHABLE": "$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)",
        "ATOLL_HOLD_UNTIL_REJECTED": " ".join(f"{address}:{GATEWAY_PORT}" for address in landmarks.gateways),
        "ATOLL_HOLD_UNTIL_REACHABLE": f"{landmarks.name_service}:{DNS_PORT}" if landmarks.name_service else "",
    }
    return {name: value for name, value in found.items() if value}


def _container(submission: Submission, job_set_name: str, local_disk: str, landmarks: Landmarks) -> Manifest:
    specification = submission.specification
    limits, requests, devices = (
        specification.limits.model_dump(),
        specification.requests.model_dump(),
        specification.devices,
    )
    if devices.resource is not None and devices.count:
        limits[devices.resource] = requests[devices.resource] = str(devices.count)
    # What it writes beside its mounts: image layer, /tmp, output. Kueue does not count it.
    disk = specification.local_disk or LocalDisk(limit=local_disk)
    limits[_EPHEMERAL], requests[_EPHEMERAL] = disk.limit, disk.request
    runtime = [{"name": names.RUNTIME, "mountPath": RUNTIME, "readOnly": True}] if specification.program.runtime else []
    container: Manifest = {
        "name": names.CONTAINER,
        "image": specification.program.image,
        "imagePullPolicy": "IfNotPresent",
        "command": [*_entry(submission), *map(_literal, specification.program.command)],
        "workingDir": "/",
        "env": [
            {"name": name, "value": value}
            for name, value in {**_environment(submission, job_set_name), **_holding(landmarks)}.items()
        ],
        "resources": {"limits": limits, "requests": requests},
        "securityContext": security.of_program(submission),
        "terminationMessagePath": OUTCOME_FILE,
        "volumeMounts": [
            *mounts.mounts(specification.mounts),
            {"name": "entry", "mountPath": "/atoll", "readOnly": True},
            *mounts.identity_mounts(submission),
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108 - inside the container
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108
            *runtime,
        ],
    }
    if specification.secrets:
        container["envFrom"] = [{"prefix": GIVEN, "secretRef": {"name": job_set_name}}]
    if specification.ports:
        container["ports"] = [
            {"name": port.name, "containerPort": port.number, "protocol": "TCP"} for port in specification.ports
        ]
    if specification.readiness is not None:
        container["readinessProbe"] = {
            **_probe(submission, specification.readiness),
            "periodSeconds": 2,
            "timeoutSeconds": 5,
        }
    return container


def _probe(submission: Submission, readiness: Readiness) -> Manifest:
    match readiness:
        case CommandReadiness(command=command):
            return {"exec": {"command": [*_entry(submission), BESIDE, *command]}}
        case HttpReadiness(port=port, path=path):
            return {"httpGet": {"port": port, "path": path}}
        case TcpReadiness(port=port):
            return {"tcpSocket": {"port": port}}


def _entry(submission: Submission) -> list[str]:
    """The entry point: run by the framework's Python, or by the mounted one and its own loader, so that an image needs
    neither Python nor a C library nor a shell.
    """
    if submission.specification.program.runtime is None:
        return ["python3", *_ISOLATED]
    return _interpreter(submission, RUNTIME)


def _interpreter(submission: Submission, root: str) -> list[str]:
    """The entry point by the runtime's Python, which begins at `root`."""
    arch = submission.specification.devices.architecture
    if arch not in _LOADERS:
        raise EngineError(
            f"an image without an interpreter of its own runs on {' or '.join(_LOADERS)}, not on `{arch or 'any'}`",
            permanent=True,
        )
    libraries, loader = _LOADERS[arch]
    path = f"{root}/usr/lib/{libraries}"
    return [f"{path}/{loader}", "--inhibit-cache", "--library-path", path, f"{root}/usr/bin/python3", *_ISOLATED]


def _environment(submission: Submission, job_set_name: str) -> dict[str, str]:
    specification, home = submission.specification, submission.home
    task = f"{home}/{submission.task_directory}"
    nodes = specification.devices.nodes
    return {
        **{f"{GIVEN}{name}": _literal(value) for name, value in specification.variables.items()},
        **{port_variable(port.name): str(port.number) for port in specification.ports},
        "HOME": home,
        **security.environment(submission),
        "ATOLL_TASK_ID": submission.task_id,
        "ATOLL_ATTEMPT": str(submission.number),
        "ATOLL_CODE_DIR": _literal(specification.program.working_directory),
        "ATOLL_START_FILE": _literal(specification.program.needs_file or ""),
        "ATOLL_OUTPUT_DIR": _literal(submission.output),
        "ATOLL_LOG_FILE": f"{task}/log/{submission.number}-%RANK%.log",
        "ATOLL_METRICS_FILE": f"{task}/metrics.jsonl",
        "ATOLL_OUTCOME_FILE": OUTCOME_FILE,
        "ATOLL_HELD_FILE": HELD_FILE,
        "WORLD_SIZE": str(nodes),
        "MASTER_ADDR": f"{job_set_name}-{names.REPLICATED_JOB}-0-0.{job_set_name}" if nodes > 1 else "127.0.0.1",
        "MASTER_PORT": str(names.MASTER_PORT),
    }


def _literal(text: str) -> str:
    """Text that Kubernetes passes on as it is: it expands `$(NAME)` and `$$` in commands and environments."""
    return text.replace("$", "$$")


def _half(memory: str) -> str:
    return quantities.memory_text(quantities.parse(memory) / 2)
