"""What groups say."""

from atoll.web.codes import ProblemCode


class NoSuchGroup(
    ProblemCode,
    title="This group does not exist",
    detail="There is no group `{group}`.",
    remedy="Load the list of groups again and choose one of it; somebody may have deleted this one.",
):
    group: str
