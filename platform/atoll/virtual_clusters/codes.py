"""What virtual clusters say."""

from atoll.web.codes import FieldCode, ProblemCode


class NoSuchVirtualCluster(
    ProblemCode,
    title="This virtual cluster does not exist",
    detail="There is no virtual cluster `{name}`.",
    remedy="Load the list of virtual clusters again and choose one of it; somebody may have deleted this one.",
):
    name: str


class VirtualClusterNameTaken(
    ProblemCode,
    title="This name is taken",
    detail="There is a virtual cluster `{name}` already.",
    remedy="Choose another name.",
):
    name: str


class VirtualClusterBeingDeleted(
    ProblemCode,
    title="This virtual cluster is being deleted",
    detail="`{name}` is being removed from the machines; until that is done it is not edited and its name is taken.",
    remedy="Wait a moment, or choose another name.",
):
    name: str


class VirtualClusterInUse(
    ProblemCode,
    title="Tasks are in this virtual cluster",
    detail="{tasks} tasks wait or run in `{name}`. While there are any, it can only be given more: devices, devices per"
    " user, hours, idle devices of others.",
    remedy="Wait until they have ended, or stop them.",
):
    name: str
    tasks: int


class MembersHaveTasks(
    ProblemCode,
    title="Tasks of these members have not ended",
    detail="{tasks} tasks of those who would leave `{name}` wait or run in it.",
    remedy="Have them stopped with it (`stop_tasks`), or wait until they have ended.",
):
    name: str
    tasks: int


class NothingToExtend(
    ProblemCode,
    title="Tasks run here for as long as they like",
    detail="`{name}` has no maximum of hours that could be extended.",
    remedy="Nothing is to be done: tasks run on without a limit.",
):
    name: str


class TooManyHours(FieldCode, words="All in all at most {most} hours."):
    most: int


class ReservedName(FieldCode, words="The name `root`, and names that end with `-root`, are kept for the platform."):
    pass


class UnknownDeviceType(FieldCode, words="There is no such device type; there are: {known}."):
    known: tuple[str, ...]


class NotAmongDevices(FieldCode, words="The virtual cluster has no devices of this type."):
    pass


class MoreThanDevices(FieldCode, words="At most {count}: so many devices the virtual cluster has."):
    count: int


class BorrowingNotHere(
    FieldCode, words="Here the queue shares devices by use (`queue.fair_sharing`); then nobody gets lent ones back."
):
    pass


class NotANetwork(FieldCode, words="Write an IPv4 network like 10.20.0.0/16, a single address like 10.20.0.7/32."):
    pass


class NetworkOfTheCluster(
    FieldCode, words="This is the cluster itself, or what no task may reach: nothing of it would be opened."
):
    pass


class PortsReversed(FieldCode, words="The last port is not before the first."):
    pass


class NetworkTwice(FieldCode, words="This network is named above: put all its ports there."):
    pass


class PrivilegedJobsOff(
    FieldCode,
    words="This installation lets no task be root: `platform.privileged_jobs` of cluster.yaml is false.",
):
    pass


class NobodyNamed(FieldCode, words="Name a user or a group."):
    pass


class NotAMember(FieldCode, words="You are not a member of this virtual cluster."):
    pass
