"""What accounts say."""

from atoll.web.codes import FieldCode, ProblemCode


class OwnPassword(
    ProblemCode,
    title="This is your own account",
    detail="You would be signed out before you could read the one-time password.",
    remedy="Change your password in your own menu, above right.",
):
    pass


class OwnAccount(
    ProblemCode,
    title="This is your own account",
    detail="You would be signed out at once, and could not come back.",
    remedy="Another administrator can delete it.",
):
    pass


class UnfinishedTasks(
    ProblemCode,
    title="This user has tasks that have not ended",
    detail="{count} tasks of `{name}` wait or run.",
    remedy="Wait until they have ended, or have them stopped together with the deletion.",
):
    name: str
    count: int


class NoSuchUser(ProblemCode, title="This user does not exist", detail="There is no user `{name}`."):
    name: str


class NoSuchVirtualClusterField(
    FieldCode, code="no_such_virtual_cluster", words="There is no virtual cluster `{name}`."
):
    name: str
