"""What tasks say."""

from atoll.web.codes import FieldCode, ProblemCode, ReasonCode


class NoSuchTask(
    ProblemCode,
    title="This task does not exist",
    detail="There is no task `{task}` that you may see.",
    remedy="It may have been deleted, or it belongs to somebody else.",
):
    task: str


class NoSuchReplica(
    ProblemCode,
    title="This task has no such replica",
    detail="The task has no replica {rank} in that attempt.",
    remedy="Choose one of the replicas that the task's page shows for this attempt.",
):
    rank: int


class NoOutput(
    ProblemCode,
    title="This task has no directory of results",
    remedy="Look into the home of its owner: this kind of task writes nowhere else.",
):
    pass


class NotYoursToStop(
    ProblemCode,
    title="You may not stop this task",
    detail="Its owner and administrators stop it.",
    remedy="Ask its owner or an administrator to stop it.",
):
    pass


class NotYoursToRemove(
    ProblemCode,
    title="You may not remove this task",
    detail="Only its owner removes it.",
    remedy="Ask its owner to remove it.",
):
    pass


class AlreadyEnded(
    ProblemCode,
    title="The task has already ended",
    remedy="Load the page again to see how it ended.",
):
    pass


class NotEnded(ProblemCode, title="The task has not ended yet", remedy="Stop it first."):
    pass


class ProgramTextTooLong(
    FieldCode, words="The command with all parameters and variables is {size} bytes long; at most {limit} can be taken."
):
    limit: int
    size: int


class TooManyTasks(
    ProblemCode,
    title="Too many of your tasks have not ended",
    detail="{limit} of your tasks wait or run already.",
    remedy="Wait until some have ended, or stop some.",
):
    limit: int


class UnfinishedTasks(FieldCode, words="At most {limit} of one user's tasks may wait or run at a time."):
    limit: int


class TooManySubmissions(
    ProblemCode,
    title="Too many tasks in a short time",
    detail="You have submitted {limit} tasks within {minutes} minutes, those that have ended or were removed included.",
    remedy="Try again in {wait_s} seconds.",
):
    limit: int
    minutes: int
    wait_s: int


class RecentSubmissions(
    FieldCode, words="At most {limit} tasks of one user are taken within {minutes} minutes; again in {wait_s} seconds."
):
    limit: int
    minutes: int
    wait_s: int


class SubmittedTooFast(
    ReasonCode, words="You have submitted {limit} tasks within {minutes} minutes; again in {wait_s} seconds."
):
    limit: int
    minutes: int
    wait_s: int


class Created(ReasonCode, words="It was created."):
    pass


class Submitted(ReasonCode, words="It was handed to the queue."):
    pass


class Starting(ReasonCode, words="Devices are assigned; it is being started."):
    pass


class Running(ReasonCode, words="It runs."):
    pass


class Finished(ReasonCode, words="It finished."):
    pass


class Failed(ReasonCode, words="It failed."):
    pass


class Stopping(ReasonCode, words="It is being stopped."):
    pass


class Stopped(ReasonCode, words="It was stopped."):
    pass


class StopRequested(ReasonCode, words="A stop was asked for."):
    pass


class StoppedByUser(ReasonCode, words="{user} stopped it."):
    user: str


class MembershipEndedBy(ReasonCode, words="{user} took its owner out of the virtual cluster."):
    user: str


class NoLongerMember(ReasonCode, words="Its owner is no longer a member of the virtual cluster {virtual_cluster}."):
    virtual_cluster: str


class NoLongerPrivileged(ReasonCode, words="The roles of its owner do not let them run privileged jobs any more."):
    pass


class PreparingVirtualCluster(
    ReasonCode, words="Its virtual cluster was made or given less a moment ago and is being prepared."
):
    pass


class Lost(ReasonCode, words="The engine no longer knows it: somebody removed it behind the platform's back."):
    pass


class TimeLimitReached(ReasonCode, words="It ran for the {hours} hours that its virtual cluster allows."):
    hours: int


class ReplicaWaiting(ReasonCode, words="Rank {rank} waits."):
    rank: int


class ReplicaStarting(ReasonCode, words="Rank {rank} is being started on {node}."):
    node: str
    rank: int


class ReplicaRunning(ReasonCode, words="Rank {rank} runs on {node}."):
    node: str
    rank: int


class ReplicaSucceeded(ReasonCode, words="Rank {rank} succeeded on {node}."):
    node: str
    rank: int


class ReplicaFailed(ReasonCode, words="Rank {rank} failed on {node}."):
    node: str
    rank: int


class HasMistakes(ReasonCode, words="What it asks for has mistakes."):
    pass


class TooManyUnfinished(ReasonCode, words="{limit} of your tasks wait or run already."):
    limit: int


class StartsNow(ReasonCode, words="Everything it needs is free."):
    pass


class Paused(ReasonCode, words="It is paused."):
    pass


class PathOutsideHome(FieldCode, words="It must lie below {home}."):
    home: str


class DeviceCountNotAllowed(FieldCode, words="Choose one of {counts}."):
    counts: tuple[int, ...]


class LimitOutOfBounds(FieldCode, words="Choose between {floor} and {ceiling}."):
    ceiling: str
    floor: str


class PrivilegedNotYours(FieldCode, words="Your roles do not let you run privileged jobs (tasks:privileged)."):
    pass


class PrivilegedNotHere(FieldCode, words="The virtual cluster `{name}` has no room for privileged jobs."):
    name: str


class PrivilegedSwitchedOff(FieldCode, words="Switch privileged jobs on in your settings first."):
    pass
