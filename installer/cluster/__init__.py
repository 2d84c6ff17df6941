"""What a cluster.yaml says: schema, loading with every mistake at once, and where the cluster's files lie."""

from installer.cluster.devices import CPU_ONLY, DEVICE_TYPES, DeviceType
from installer.cluster.loading import load, loads, reference
from installer.cluster.mistakes import ClusterError, Mistake
from installer.cluster.places import (
    EXAMPLE,
    TREE,
    bundle_directory,
    cache_directory,
    is_installed,
    known_hosts,
    own_key,
    state_directory,
    version,
)
from installer.cluster.schema import Accelerator, Cluster, DataDisk, Lab, LabSize, Node, Role, Ssh

__all__ = [
    "CPU_ONLY",
    "DEVICE_TYPES",
    "EXAMPLE",
    "TREE",
    "Accelerator",
    "Cluster",
    "ClusterError",
    "DataDisk",
    "DeviceType",
    "Lab",
    "LabSize",
    "Mistake",
    "Node",
    "Role",
    "Ssh",
    "bundle_directory",
    "cache_directory",
    "is_installed",
    "known_hosts",
    "load",
    "loads",
    "own_key",
    "reference",
    "state_directory",
    "version",
]
