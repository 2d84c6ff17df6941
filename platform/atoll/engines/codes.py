"""What engines and admission say."""

from atoll.web.codes import FieldCode, ProblemCode, ReasonCode


class LogGone(ProblemCode, title="This log is no longer there"):
    pass


class EngineUnavailable(ProblemCode, title="The engine does not answer"):
    pass


class MoreThanVirtualClusterHas(FieldCode, words="The virtual cluster has only {total}."):
    total: int


class MoreThanUserMayHold(FieldCode, words="One user may hold at most {max_per_user}."):
    max_per_user: int


class NotEnoughNodesWithDevices(FieldCode, words="The cluster has only {nodes} such nodes."):
    nodes: int


class NotEnoughNodes(FieldCode, words="The cluster has only {nodes} such nodes."):
    nodes: int


class EngineUnavailableReason(
    ReasonCode, code="engine_unavailable", words="The engine does not answer; the platform tries again."
):
    pass


class ProcessLost(ReasonCode, words="The process ended without telling how; it was probably killed from outside."):
    pass


class MemoryLimitExceeded(ReasonCode, words="The memory limit of {limit} was exceeded."):
    limit: str


class ExitCode(ReasonCode, words="The program ended with exit code {exit_code}."):
    exit_code: int


class EndedBySignal(ReasonCode, words="The program was ended by {signal} (exit code {exit_code})."):
    exit_code: int
    signal: str


class CodeDirectoryMissing(ReasonCode, words="The code directory does not exist."):
    pass


class StartFileMissing(ReasonCode, words="The start file does not exist in the code directory."):
    pass


class CommandNotFound(ReasonCode, words="The image has no such program, or you may not start it."):
    pass


class NetworkPolicyNotEnforced(
    ReasonCode, words="The network policy of the task was not enforced in time, so it was not started."
):
    pass


class DeviceTypeNotInVirtualCluster(ReasonCode, words="The virtual cluster has no devices of this type."):
    pass


class MoreThanVirtualClusterHasReason(
    ReasonCode,
    code="more_than_virtual_cluster_has",
    words="It needs {needed} devices, the virtual cluster {virtual_cluster} has {total}.",
    brief="It asks for more than it may ever get; {resource}: at most {total}.",
):
    needed: int | None = None
    resource: str | None = None
    total: int | None = None
    virtual_cluster: str | None = None


class MoreThanUserMayHoldReason(
    ReasonCode, code="more_than_user_may_hold", words="It needs {needed} devices, one user may hold {max_per_user}."
):
    max_per_user: int
    needed: int


class NotEnoughNodesWithDevicesReason(
    ReasonCode,
    code="not_enough_nodes_with_devices",
    words="It needs {needed} nodes with {devices} {device_type} each, the cluster has {nodes}.",
):
    device_type: str
    devices: int
    needed: int
    nodes: int


class NotEnoughNodesReason(
    ReasonCode, code="not_enough_nodes", words="It needs {needed} nodes, the cluster has {nodes}."
):
    needed: int
    nodes: int


class UserLimitReached(
    ReasonCode, words="It needs {needed} devices; {held} of the {max_per_user} that one user may hold are taken."
):
    held: int
    max_per_user: int
    needed: int


class DevicesInUse(
    ReasonCode,
    words="It needs {needed} devices, {free} of {total} are free in {virtual_cluster}.",
    brief="All others are in use; still missing: {more} {resource}.",
):
    free: int | None = None
    more: str | None = None
    needed: int | None = None
    resource: str | None = None
    total: int | None = None
    virtual_cluster: str | None = None


class NoNodeHasRoom(
    ReasonCode,
    words="{needed} nodes with {devices} free {device_type}, CPU and memory are needed at once; {nodes} can be had now.",
    brief="No node has enough of this free at the moment: {resource}.",
):
    device_type: str | None = None
    devices: int | None = None
    needed: int | None = None
    nodes: int | None = None
    resource: str | None = None


class NoNodeHasCpuAndMemory(
    ReasonCode,
    words="{needed} nodes with enough free CPU and memory are needed at once; {nodes} can be had now.",
):
    needed: int
    nodes: int


class NodeNotReady(ReasonCode, words="Node {node} is not ready.", brief="It is not ready: {message}"):
    message: str | None = None
    node: str | None = None


class NodeUnknown(ReasonCode, words="The state of node {node} is not known."):
    node: str


class NodeCordoned(ReasonCode, words="Node {node} is cordoned: nothing new starts there."):
    node: str


class EngineRefused(ReasonCode, words="{message}"):
    message: str


class GaveUpStarting(ReasonCode, words="Its replicas did not all start in several tries, so the queue gave it up."):
    pass


class StorageNotWritable(ReasonCode, words="{message}"):
    message: str


class CapacityInUse(ReasonCode, words="All others are in use; still missing: {more} {resource}."):
    more: str
    resource: str


class QueueNotReady(ReasonCode, words="Its queue is being made."):
    pass


class NotScheduled(ReasonCode, words="No node takes it at the moment: {message}"):
    message: str


class ImageNotPulled(ReasonCode, words="{message}"):
    message: str


class ContainerNotStarted(ReasonCode, words="The container cannot be started: {message}"):
    message: str


class PodFailed(ReasonCode, words="Its pod failed: {message}"):
    message: str


class Evicted(ReasonCode, words="{message}"):
    message: str


class NodeLost(ReasonCode, words="Its node was shut down or lost."):
    pass


class NodeSilent(ReasonCode, words="Nothing has been heard from it for a while."):
    pass


class Cordoned(ReasonCode, words="It is cordoned: nothing new starts there."):
    pass
