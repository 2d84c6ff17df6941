"""What engines and admission say."""

from atoll.web.codes import FieldCode, ProblemCode, ReasonCode


class LogGone(
    ProblemCode,
    title="This log is no longer there",
    remedy="Load the page again: what was kept of it is read from the shared storage.",
):
    pass


class EngineUnavailable(
    ProblemCode,
    title="The engine does not answer",
    detail="The engine does not answer: {why}",
    remedy="Try again in some seconds; an administrator sees the state under Services.",
):
    why: str


class MoreThanVirtualClusterHas(FieldCode, words="The virtual cluster has only {total}."):
    total: int


class MoreThanUserMayHold(FieldCode, words="One user may hold at most {max_per_user}."):
    max_per_user: int


class MoreThanUserShare(FieldCode, words="The tasks of one user may reserve at most {most} of {resource}."):
    most: str
    resource: str


class NotEnoughNodesWithDevices(FieldCode, words="The cluster has only {nodes} such nodes."):
    nodes: int


class NotEnoughNodes(FieldCode, words="The cluster has only {nodes} such nodes."):
    nodes: int


class DeviceTypeNotInVirtualCluster(FieldCode, words="The virtual cluster has no devices of this type."):
    pass


class Queued(ReasonCode, words="It waits for its turn."):
    pass


class QueueSays(ReasonCode, words="It waits for its turn. The queue says: {why}"):
    """In words of the queue that are not known here."""

    why: str


class Preempted(ReasonCode, words="Its devices were given to others; it waits for its next turn."):
    pass


class BeingPlaced(ReasonCode, words="It is being placed on nodes."):
    pass


class ContainerStarting(ReasonCode, words="The image is being fetched and the container started."):
    pass


class NotReady(ReasonCode, words="It runs and is not ready yet."):
    pass


class ServiceEnded(ReasonCode, words="Its program ended, though a service goes on until it is stopped."):
    pass


class EngineUnavailableReason(
    ReasonCode, code="engine_unavailable", words="The engine does not answer; the platform tries again: {why}"
):
    why: str


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


class DeviceTypeNotInVirtualClusterReason(
    ReasonCode,
    code="device_type_not_in_virtual_cluster",
    words="The virtual cluster {virtual_cluster} has no devices of type {device_type}.",
):
    device_type: str
    virtual_cluster: str


class MoreThanVirtualClusterHasReason(
    ReasonCode,
    code="more_than_virtual_cluster_has",
    words="It needs {needed} devices, the virtual cluster {virtual_cluster} has {total}.",
):
    needed: int
    total: int
    virtual_cluster: str


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


class DevicesInUse(ReasonCode, words="It needs {needed} devices, {free} of {total} are free in {virtual_cluster}."):
    free: int
    needed: int
    total: int
    virtual_cluster: str


class NoNodeHasRoom(
    ReasonCode,
    words="{needed} nodes with {devices} free {device_type}, CPU and memory are needed at once; {nodes} can be had now.",
):
    device_type: str
    devices: int
    needed: int
    nodes: int


class NoNodeHasCpuAndMemory(
    ReasonCode,
    words="{needed} nodes with enough free CPU and memory are needed at once; {nodes} can be had now.",
):
    needed: int
    nodes: int


class OfResource(ReasonCode):
    """A code that names a resource: a card by what people call it, or `cpu` or `memory`."""

    resource: str

    def said(self, name: str) -> str:
        """A parameter as people read it in English."""
        told = super().said(name)
        return "CPU" if (name, told) == ("resource", "cpu") else told


class DevicesMissing(
    OfResource, brief_of=DevicesInUse, words="All others are in use; still missing: {more} {resource}."
):
    """As the queue of a cluster knows it."""

    more: str


class CapacityInUse(
    OfResource, words="What you may have of it is in use, by you or by others; still missing: {more} {resource}."
):
    """As the queue of a cluster knows it, which does not say whose share is used up."""

    more: str


class MoreThanUserShareReason(
    OfResource,
    code="more_than_user_share",
    words="It needs {needed} of {resource}, and the tasks of one user may reserve at most {most}.",
):
    most: str
    needed: str


class UserShareUsedUp(
    OfResource,
    words="Your share of {resource} is used up: it needs {needed}; {held} of the {most} that one user may have are taken.",
):
    held: str
    most: str
    needed: str


class MoreThanCapacity(
    OfResource,
    brief_of=MoreThanVirtualClusterHasReason,
    words="It asks for more than it may ever get; {resource}: at most {total}.",
):
    """As the queue of a cluster knows it."""

    total: str


class NodesLack(OfResource, brief_of=NoNodeHasRoom, words="No node has enough of this free at the moment: {resource}."):
    """As the scheduler of a cluster knows it."""


class EngineRefused(ReasonCode, words="The engine refused it: {why}"):
    why: str


class GaveUpStarting(ReasonCode, words="Its replicas did not all start in several tries, so the queue gave it up."):
    pass


class StorageNotWritable(
    ReasonCode, words="The storage did not take its log and output, so it was not started: {detail}"
):
    detail: str


class StorageTookNothing(
    ReasonCode,
    brief_of=StorageNotWritable,
    words="The storage did not take its log and output, so it was not started.",
):
    """Without its words."""


class QueueNotReady(ReasonCode, words="Its queue is being made."):
    pass


class NotScheduled(ReasonCode, words="No node takes it at the moment: {why}"):
    why: str


class NotScheduledYet(ReasonCode, brief_of=NotScheduled, words="No node takes it at the moment."):
    """Without the scheduler's words."""


class ImageNotPulled(ReasonCode, words="The image {image} cannot be pulled: {why}"):
    image: str
    why: str


class ContainerNotStarted(ReasonCode, words="The container cannot be started: {why}"):
    why: str


class JobFailed(ReasonCode, words="Its job failed: {why}"):
    """No replica says why."""

    why: str


class PodFailed(ReasonCode, words="Its pod failed: {why}"):
    why: str


class PodEnded(ReasonCode, brief_of=PodFailed, words="Its pod failed."):
    """Without the kubelet's words."""


class Evicted(ReasonCode, words="The node had to end it: {why}"):
    why: str


class EvictedSilently(ReasonCode, brief_of=Evicted, words="The node had to end it."):
    """Without the kubelet's words."""


class NodeLost(ReasonCode, words="Its node was shut down or lost."):
    pass


class NodeSilent(ReasonCode, words="Nothing has been heard from it for a while."):
    pass


class KubeletNotReady(ReasonCode, words="It is not ready: {why}"):
    why: str


class Cordoned(ReasonCode, words="It is cordoned: nothing new starts there."):
    pass
