"""The sections of cluster.yaml, one per concern: each key is declared here once, with its default and its meaning.

Made from it by `python -m installer.cluster.declared`: the shipped defaults in group_vars/, the sections of
cluster.example.yaml and the arguments of roles; `./atoll schema` is made from it too. Each key `k` of a section `s`
reaches the roles as the variable `s_k`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo

from installer.cluster.quantities import FileCount, Quantity, Room
from installer.cluster.values import (
    AbsolutePath,
    AccountName,
    Address,
    Days,
    DeviceTypeName,
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
    VirtualClusterName,
)


class Section(BaseModel):
    """What all parts of cluster.yaml have in common: unknown keys are mistakes, and nobody changes values later."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_UNUSED = "x-unused"


def unused(why: str) -> JsonDict:
    """Mark a key that nothing reads yet: `validate` tells who sets it, with what holds in its place."""
    return {_UNUSED: why}


def unused_because(field: FieldInfo) -> str:
    """Return what holds in place of a key that nothing reads yet; empty for one that is used."""
    extra = field.json_schema_extra
    return str(extra.get(_UNUSED, "")) if isinstance(extra, dict) else ""


class Networks(Section):
    """Networks of pods and services."""

    pod_network: Network = Field(
        default="10.244.0.0/16", description="Pods get their addresses from it; must not overlap anything in your house"
    )
    service_network: Network = Field(default="10.96.0.0/16", description="Services get their addresses from it")
    node_prefix: int = Field(
        default=24, ge=20, le=28, description="Size of a node's share of the pod network, as prefix length"
    )
    cluster_domain: DnsDomain = Field(default="cluster.local", description="DNS domain of services inside the cluster")
    mtu: int | None = Field(default=None, ge=1280, le=9216, description="Without it: that of the node's network device")
    across_subnets: Literal["ipip", "refuse"] = Field(
        default="ipip", description="How pods of nodes in different subnets reach each other"
    )


class Firewall(Section):
    """Who may come to the nodes: everybody to what has to be reached, nodes and pods to the rest (`status --ports`)."""

    enabled: bool = Field(
        default=True, description="Rules of nftables in a table of their own; those of the administrator are left alone"
    )
    administrators: list[Network] = Field(
        default=[],
        description="Networks that SSH and the API server are open to, this machine's among them; empty: to all",
    )
    open_tcp: list[Port] = Field(default=[], description="Ports of programs of your own on nodes, open to everybody")
    open_udp: list[Port] = Field(default=[], description="As `open_tcp`, for UDP")
    connections_per_address: int = Field(
        default=256,
        ge=16,
        le=65535,
        description="Connections of one address to the portal at a time; nodes and administrators have no limit",
    )


class Kubernetes(Section):
    """The control plane and the kubelets."""

    virtual_address: Address | None = Field(
        default=None, description="A floating address for the API of three masters (keepalived)"
    )
    extra_names: list[Host] = Field(
        default=[], description="Further names and addresses in the certificate of the API server"
    )
    max_pods: int = Field(default=110, ge=10, le=250, description="The most pods per node")
    max_processes_per_pod: int = Field(
        default=4096, ge=256, le=1000000, description="Processes and threads of one pod; more cannot be started"
    )
    system_reserved_memory: Quantity = Field(default="256Mi", description="Memory of a node that pods never get")
    eviction_memory: Quantity = Field(
        default="200Mi", description="Pods are evicted when a node has less memory than that"
    )
    eviction_disk: Quantity = Field(default="1Gi", description="Pods are evicted when a node has less disk than that")
    audit_days: Days = Field(default=30, description="How long the audit log of the API server is kept")


class ContainerRuntime(Section):
    """containerd."""

    mirrors: list[Host] = Field(
        default=["registry.k8s.io", "docker.io", "quay.io", "ghcr.io", "nvcr.io"],
        description="Registries whose images are served by the cluster's own registry",
    )
    parallel_downloads: int = Field(default=3, ge=1, le=20, description="How many layers a node pulls at a time")
    log_size: Quantity = Field(default="16Mi", description="A container's log is rotated at this size")
    log_files: int = Field(default=5, ge=2, le=20, description="How many rotated logs of a container are kept")


class Harbor(Section):
    """An existing Harbor."""

    url: HttpsUrl = Field(description="Its address")
    ca_file: AbsolutePath | None = Field(default=None, description="Its certificate authority, on the control host")
    project: DnsLabel = Field(default="atoll", description="The project for the platform's images")
    user: Text = Field(description="A robot account; its password is asked for by `./atoll enrol`")


class Registry(Section):
    """The registry for images."""

    driver: Literal["distribution", "harbor"] = Field(
        default="distribution", description="`distribution` is installed, `harbor` exists already"
    )
    nodes: list[DnsLabel] = Field(
        default=[], description="Where it runs; empty: the first storage node, without one the first master"
    )
    directory: AbsolutePath = Field(default="/srv/atoll/registry", description="Where images lie on those nodes")
    harbor: Harbor | None = Field(
        default=None,
        description="With driver `harbor`",
        examples=[{"url": "https://harbor.example.com", "ca_file": "/…", "project": "atoll", "user": "robot$atoll"}],
    )


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

    driver: Literal["glusterfs", "nfs", "cephfs", "local"] = Field(
        default="glusterfs",
        description="`glusterfs` needs storage nodes, `nfs` and `cephfs` exist already, `local` serves one node",
    )
    directory: AbsolutePath = Field(
        default="/srv/atoll/storage", description="Where user data lie on storage nodes (put a data disk there)"
    )
    system_directory: AbsolutePath = Field(
        default="/opt/local-path-provisioner", description="Where volumes of database and metrics lie on their node"
    )
    user_quota: Room | None = Field(
        default="50%",
        description="What the files of one user may take: a size (200Gi) or a share of the volume; null: no limit",
    )
    user_quotas: dict[AccountName, Room | None] = Field(
        default={}, description="As `user_quota`, for single users by name", examples=[{"ada": "500Gi", "bot": None}]
    )
    user_file_quota: FileCount | None = Field(
        default=5_000_000,
        description="How many files and folders one user may have: each takes an inode of the disk; null: no limit",
    )
    user_file_quotas: dict[AccountName, FileCount | None] = Field(
        default={},
        description="As `user_file_quota`, for single users by name",
        examples=[{"ada": 20_000_000, "bot": None}],
    )
    nfs: Nfs | None = Field(
        default=None,
        description="With driver `nfs`",
        examples=[{"server": "nas.example.com", "path": "/export/atoll", "options": "nfsvers=4.2,hard"}],
    )
    cephfs: Cephfs | None = Field(
        default=None,
        description="With driver `cephfs`",
        examples=[{"monitors": ["10.0.0.5:6789"], "path": "/", "user": "atoll"}],
    )


class Accelerators(Section):
    """What all accelerators have in common; which node has which is said at the node."""

    metrics_seconds: Seconds = Field(
        default=15,
        description="How often device metrics are read",
        json_schema_extra=unused("They are read as often as everything else: `monitoring.scrape_seconds`."),
    )


class Queue(Section):
    """Kueue: who waits for what."""

    fair_sharing: bool = Field(
        default=False,
        description="Who holds least comes first, not who asked first; nobody borrows then",
    )
    preempt_lower_priority: bool = Field(
        default=True,
        description="A task may take devices from tasks of lower priority",
        json_schema_extra=unused("Tasks have no priorities yet."),
    )


class Database(Section):
    """PostgreSQL of the platform."""

    volume: Quantity = Field(default="10Gi", description="Size of its volume")
    max_connections: int = Field(default=200, ge=50, le=2000, description="How many sessions it takes at a time")
    memory: Quantity = Field(default="2Gi", description="Its memory limit, at least 1Gi")
    backup_days: Days = Field(default=14, description="How long backups are kept")


class Monitoring(Section):
    """Prometheus and its exporters."""

    retention_days: Days = Field(default=15, description="How long measurements are kept")
    volume: Quantity = Field(default="10Gi", description="Size of its volume; older measurements go when it fills")
    memory: Quantity = Field(default="1Gi", description="Its memory limit")
    scrape_seconds: Seconds = Field(default=15, description="How often is measured")


class FirstVirtualCluster(Section):
    """A virtual cluster that a new installation starts with; later ones are made in the portal."""

    name: VirtualClusterName
    devices: dict[DeviceTypeName, Annotated[int, Field(ge=0)]] | None = Field(
        default=None, description="Devices of each type; without it all that there are"
    )
    max_devices_per_user: dict[DeviceTypeName, Annotated[int, Field(ge=0)]] = Field(
        default_factory=dict, description="The most that one member may hold"
    )
    max_hours: int | None = Field(default=None, ge=1, description="A task is ended after so many hours")


class Retention(Section):
    """How long the platform keeps what it no longer needs."""

    task_days: Days = Field(
        default=90,
        description="Finished tasks and their logs",
        json_schema_extra=unused(
            "They stay until their owner removes them, or has more than `kept_tasks_per_user` that have ended."
        ),
    )
    removed_task_days: Days = Field(
        default=30, description="Tasks that their owner took off the lists; their files stay in the owner's home"
    )
    audit_days: Days = Field(default=365, description="Entries of the audit log")
    operation_days: Days = Field(
        default=30, description="Long work of the platform that has ended; the files that it made stay"
    )


class Platform(Section):
    """The portal and the services behind it."""

    origin: HttpsOrigin | None = Field(
        default=None,
        description="The portal's address; without it https:// and the first master's address",
        examples=["https://ai.example.com"],
    )
    apps_domain: DnsDomain | None = Field(
        default=None, description="Domain with a DNS wildcard, for web pages of tasks; without it a port for each"
    )
    certificate_file: AbsolutePath | None = Field(
        default=None, description="The portal's certificate, on the control host; without it our own"
    )
    key_file: AbsolutePath | None = Field(default=None, description="The key of `certificate_file`")
    session_hours: int = Field(default=12, ge=1, le=720, description="A sign-in lasts so long")
    registration: bool = Field(
        default=True,
        description="People may make accounts for themselves, which may do nothing until an administrator gives a role",
    )
    waiting_accounts: int = Field(
        default=100,
        ge=1,
        le=10000,
        description="Accounts without any role that may wait for one; then nobody registers",
    )
    access_token_days: int = Field(
        default=365, ge=1, le=3650, description="So long an access token of a user's program lives at most"
    )
    access_tokens_per_user: int = Field(
        default=50, ge=1, le=1000, description="Access tokens that one user may have at a time"
    )
    language: Literal["zh-CN", "en"] = Field(
        default="zh-CN",
        description="Language of people who have not chosen one",
        json_schema_extra=unused("The portal begins in the language of the browser; everybody may choose there."),
    )
    virtual_clusters: list[FirstVirtualCluster] = Field(
        default=[FirstVirtualCluster(name="default")], min_length=1, description="What a new installation starts with"
    )
    unfinished_tasks_per_user: int = Field(
        default=100, ge=1, le=10000, description="Tasks of one user that may wait or run at a time"
    )
    submitted_tasks_per_user: int = Field(
        default=120, ge=1, le=1000, description="Tasks that one user may submit within ten minutes"
    )
    kept_tasks_per_user: int = Field(
        default=10000,
        ge=100,
        le=1000000,
        description="Ended tasks of one user that are kept; of more, removed ones and then the oldest are forgotten, "
        "but for their files",
    )
    user_share_percent: int = Field(
        default=50,
        ge=1,
        le=100,
        description="Of the workers' CPU and memory, what the tasks of one user may reserve in a virtual cluster",
    )
    task_local_disk: Quantity = Field(
        default="20Gi",
        description="What a pod of a task may write to its node's own disk, /tmp included, without `local_disk` of its "
        "type in `resource_limit`",
    )
    user_namespaces: Literal["auto", "never"] = Field(
        default="auto",
        description="Whether pods of tasks have user namespaces of their own; auto: where every machine of a task can",
    )
    privileged_jobs: bool = Field(
        default=False,
        description="Jobs may be root of their container: of users with the right to, who have switched it on, in "
        "virtual clusters that let them",
    )
    retention: Retention = Field(default=Retention(), description="How long things are kept that are over")


class Control(Section):
    """The control service on the masters."""

    port: Port = Field(default=7444, description="Of the control service, on each master")
    runs_kept: int = Field(default=200, ge=5, le=10000, description="How many runs of the installer are remembered")


_NO_MAIL = "No mail is sent yet; nothing is to be done."


class Smtp(Section):
    """Where the platform sends mail; without a host it sends none."""

    host: Host | None = Field(
        default=None, description="Without a host no mail is sent", json_schema_extra=unused(_NO_MAIL)
    )
    port: Port = Field(default=587, description="Of that host", json_schema_extra=unused(_NO_MAIL))
    encryption: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description="How the connection is protected", json_schema_extra=unused(_NO_MAIL)
    )
    sender: Mail | None = Field(
        default=None,
        description="The sender's address",
        examples=["atoll@example.com"],
        json_schema_extra=unused(_NO_MAIL),
    )
    user: Text | None = Field(
        default=None, description="For servers that ask for a sign-in", json_schema_extra=unused(_NO_MAIL)
    )
    password_file: AbsolutePath | None = Field(
        default=None, description="A file with the password, on the control host", json_schema_extra=unused(_NO_MAIL)
    )


class Ntp(Section):
    """Clocks of the nodes."""

    servers: list[Host] = Field(
        default=[], description="Empty: the nodes' clocks are left alone, preflight compares them"
    )
