"""The sections of cluster.yaml, one per concern. Their defaults lie in group_vars/, one file per section.

Each key `k` of a section `s` reaches the roles as the variable `s_k`.
"""

from __future__ import annotations

import difflib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from installer.cluster.devices import CPU_ONLY, DEVICE_TYPES
from installer.cluster.mistakes import refuse
from installer.cluster.quantities import Quantity
from installer.cluster.values import (
    AbsolutePath,
    Address,
    Days,
    DnsDomain,
    DnsLabel,
    Host,
    HttpsOrigin,
    HttpsUrl,
    Mail,
    Network,
    Port,
    Seconds,
    Text,
)


class Section(BaseModel):
    """What all parts of cluster.yaml have in common: unknown keys are mistakes, and nobody changes values later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def device_type(value: Any) -> Any:
    """Refuse what is not a device type."""
    if not isinstance(value, str) or value not in DEVICE_TYPES:
        close = difflib.get_close_matches(str(value), DEVICE_TYPES, n=1, cutoff=0.8)
        hint = f"Did you mean `{close[0]}`? " if close else ""
        raise refuse(f"`{value}` is not a device type.", f"{hint}There are {', '.join(DEVICE_TYPES)}.")
    return value


DeviceTypeName = Annotated[str, BeforeValidator(device_type), Field(json_schema_extra={"enum": list(DEVICE_TYPES)})]


class Networks(Section):
    """Networks of pods and services."""

    pod_network: Network = Field(
        description="Pods get their addresses from it; must not overlap anything in your house"
    )
    service_network: Network = Field(description="Services get their addresses from it")
    node_prefix: int = Field(ge=20, le=28, description="Size of a node's share of the pod network, as prefix length")
    cluster_domain: DnsDomain = Field(description="DNS domain of services inside the cluster")
    mtu: int | None = Field(ge=1280, le=9216, description="Without it: that of the node's network device")
    across_subnets: Literal["ipip", "refuse"] = Field(
        description="How pods of nodes in different subnets reach each other"
    )


class Kubernetes(Section):
    """The control plane and the kubelets."""

    virtual_address: Address | None = Field(description="A floating address for the API of three masters (keepalived)")
    extra_names: list[Host] = Field(description="Further names and addresses in the certificate of the API server")
    max_pods: int = Field(ge=10, le=250, description="The most pods per node")
    system_reserved_memory: Quantity = Field(description="Memory of a node that pods never get")
    eviction_memory: Quantity = Field(description="Pods are evicted when a node has less memory than that")
    eviction_disk: Quantity = Field(description="Pods are evicted when a node has less disk than that")
    audit_days: Days = Field(description="How long the audit log of the API server is kept")


class ContainerRuntime(Section):
    """containerd."""

    mirrors: list[Host] = Field(description="Registries whose images are served by the cluster's own registry")
    parallel_downloads: int = Field(ge=1, le=20, description="How many layers a node pulls at a time")
    log_size: Quantity = Field(description="A container's log is rotated at this size")
    log_files: int = Field(ge=2, le=20, description="How many rotated logs of a container are kept")


class Harbor(Section):
    """An existing Harbor."""

    url: HttpsUrl = Field(description="Its address")
    ca_file: AbsolutePath | None = Field(default=None, description="Its certificate authority, on the control host")
    project: DnsLabel = Field(default="atoll", description="The project for the platform's images")
    user: Text = Field(description="A robot account; its password is asked for by `./atoll enrol`")


class Registry(Section):
    """The registry for images."""

    driver: Literal["distribution", "harbor"] = Field(
        description="`distribution` is installed, `harbor` exists already"
    )
    nodes: list[DnsLabel] = Field(
        description="Where it runs; empty: the first storage node, without one the first master"
    )
    directory: AbsolutePath = Field(description="Where images lie on those nodes")
    harbor: Harbor | None = Field(description="With driver `harbor`")


class Nfs(Section):
    """An existing NFS server."""

    server: Host
    path: AbsolutePath
    options: Text = Field(default="nfsvers=4.2,hard", description="Mount options")


class Cephfs(Section):
    """An existing CephFS; its key is kept in the cluster's secrets."""

    monitors: list[Text] = Field(min_length=1)
    path: AbsolutePath = "/"
    user: Text


class Storage(Section):
    """One tree of user data that every node sees, and volumes of the system's own."""

    driver: Literal["glusterfs", "nfs", "cephfs", "local"] = Field(description="`local` serves clusters of one node")
    directory: AbsolutePath = Field(description="Where user data lie on storage nodes (put a data disk there)")
    system_directory: AbsolutePath = Field(description="Where volumes of database and metrics lie on their node")
    nfs: Nfs | None = Field(description="With driver `nfs`")
    cephfs: Cephfs | None = Field(description="With driver `cephfs`")


class Accelerators(Section):
    """What all accelerators have in common; which node has which is said at the node."""

    metrics_seconds: Seconds = Field(description="How often device metrics are read")


class Queue(Section):
    """Kueue: who waits for what."""

    fair_sharing: bool = Field(description="Share idle devices by use so far instead of by arrival")
    preempt_lower_priority: bool = Field(description="A task may take devices from tasks of lower priority")


class Database(Section):
    """PostgreSQL of the platform."""

    volume: Quantity = Field(description="Size of its volume")
    max_connections: int = Field(ge=50, le=2000)
    memory: Quantity = Field(description="Its memory limit")
    backup_days: Days = Field(description="How long backups are kept")


class Monitoring(Section):
    """Prometheus and its exporters."""

    retention_days: Days = Field(description="How long measurements are kept")
    volume: Quantity = Field(description="Size of its volume; older measurements go when it fills")
    memory: Quantity = Field(description="Its memory limit")
    scrape_seconds: Seconds = Field(description="How often is measured")


class FirstVirtualCluster(Section):
    """A virtual cluster that a new installation starts with; later ones are made in the portal."""

    name: DnsLabel
    devices: dict[DeviceTypeName, Annotated[int, Field(ge=0)]] | None = Field(
        default=None, description="Devices of each type; without it all that there are"
    )
    max_devices_per_user: dict[DeviceTypeName, Annotated[int, Field(ge=0)]] = Field(
        default_factory=dict, description="The most that one member may hold"
    )
    max_hours: int | None = Field(default=None, ge=1, description="A task is ended after so many hours")


class Retention(Section):
    """How long the platform keeps what it no longer needs."""

    task_days: Days = Field(description="Finished tasks and their logs")
    audit_days: Days = Field(description="Entries of the audit log")


class Platform(Section):
    """The portal and the services behind it."""

    origin: HttpsOrigin | None = Field(
        description="The portal's address; without it https:// and the first master's address",
    )
    apps_domain: DnsDomain | None = Field(description="Domain with a DNS wildcard, for web pages of tasks")
    certificate_file: AbsolutePath | None = Field(
        description="The portal's certificate, on the control host; without it our own"
    )
    key_file: AbsolutePath | None = Field(description="The key of `certificate_file`")
    session_hours: int = Field(ge=1, le=720, description="A sign-in lasts so long")
    language: Literal["zh-CN", "en"] = Field(description="Language of people who have not chosen one")
    virtual_clusters: list[FirstVirtualCluster] = Field(min_length=1, description="What a new installation starts with")
    retention: Retention


class Control(Section):
    """The control service on the masters."""

    port: Port
    runs_kept: int = Field(ge=5, le=10000, description="How many runs of the installer are remembered")


class Resources(Section):
    """CPU and memory of one pod."""

    cpu: Quantity
    memory: Quantity


class Limits(Section):
    """What a pod of a task may have: absolute values of its CPU and memory limit."""

    floor: Resources
    default: Resources
    ceiling: Resources


class ResourceLimit(Section):
    """Limits per device type (002 of the seeds) and for tasks without accelerators."""

    request_ratio: float = Field(gt=0, le=1, description="The request of a pod is its limit times this")
    cpu: Limits = Field(description="Tasks without accelerators")
    nvidia_gpu_amd64: Limits
    huawei_npu_arm64: Limits
    huawei_npu_amd64: Limits

    def of(self, name: str) -> Limits:
        """Return the limits of a device type, or of `cpu`."""
        found = getattr(self, name)
        assert isinstance(found, Limits)  # noqa: S101 - the fields above are all there is
        return found


LIMITED = (CPU_ONLY, *DEVICE_TYPES)


class Smtp(Section):
    """Where the platform sends mail; without a host it sends none."""

    host: Host | None
    port: Port
    encryption: Literal["starttls", "tls", "none"]
    sender: Mail | None = Field(description="The sender's address")
    user: Text | None = Field(description="For servers that ask for a sign-in")
    password_file: AbsolutePath | None = Field(description="A file with the password, on the control host")


class Ntp(Section):
    """Clocks of the nodes."""

    servers: list[Host] = Field(description="Empty: the nodes' clocks are left alone, preflight compares them")
