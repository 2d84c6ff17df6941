"""What operations tell people."""

from collections.abc import Mapping
from typing import Any

from atoll.web.codes import ProblemCode, ReasonCode


class OperationQueued(ReasonCode, words="It waits for its turn."):
    """At first."""


class OperationStarted(ReasonCode, words="It runs."):
    """The first attempt began."""


class OperationResumed(ReasonCode, words="It goes on where it was: the process that worked on it had ended."):
    """A further attempt began."""


class OperationGoesOn(ReasonCode, words="It goes on."):
    """A further attempt began after a pause."""


class OperationWaits(ReasonCode, words="A part of the platform did not answer; it goes on in a moment: {why}"):
    """Tried again after a pause."""

    why: str
    cause: str
    cause_params: Mapping[str, Any]


class OperationFinished(ReasonCode, words="It finished."):
    """The end that was wanted."""


class OperationCancelled(ReasonCode, words="{user} cancelled it."):
    """A person did not want it any more."""

    user: str


class OperationInterrupted(
    ReasonCode,
    words="The process that worked on it ended, and this kind of work cannot go on where it was. Start it again.",
):
    """A kind that is not resumable lost its process."""


class OperationGaveUp(ReasonCode, words="It was begun {attempts} times and never came to an end."):
    """It ends the process that works on it, or the parts that it needs do not come back."""

    attempts: int


class OperationTooLong(ReasonCode, words="It took longer than the {hours} hours that work of this kind may take."):
    """Its time is over."""

    hours: float


class OperationRefused(ReasonCode, words="It could not be done: {why}"):
    """A part of the platform refused it: `cause` is that part's problem, `why` what it says in English."""

    why: str
    cause: str
    cause_params: Mapping[str, Any]


class OperationBroke(ReasonCode, words="The platform failed while it worked on this. The log of `jobs` says more."):
    """An unexpected error."""


class NoSuchOperation(
    ProblemCode,
    title="It does not exist",
    detail="There is no operation `{operation}` that you may see.",
    remedy="Load the page again; old ones are removed after a while.",
):
    """Or the caller may not know of it."""

    operation: str


class OperationHasEnded(
    ProblemCode,
    title="It has ended",
    detail="An operation that has ended cannot be cancelled.",
    remedy="Load the page again to see how it ended.",
):
    """Cancelled too late."""


class TooManyOperations(
    ProblemCode,
    title="Too many operations wait",
    detail="{limit} of your operations wait or run already.",
    remedy="Wait until some have ended, or cancel some.",
):
    """The limit per owner."""

    limit: int


class TooManyStarts(
    ProblemCode,
    title="Too many operations in a short time",
    detail="You have started {limit} operations within {minutes} minutes, those that have ended included.",
    remedy="Try again in {wait_s} seconds.",
):
    """The pace per owner."""

    limit: int
    minutes: int
    wait_s: int


class NotYoursToCancel(
    ProblemCode,
    title="You may not cancel this",
    detail="Its owner and administrators cancel it.",
    remedy="Ask its owner or an administrator to cancel it.",
):
    """Somebody else's."""
