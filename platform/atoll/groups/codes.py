"""What groups say."""

from atoll.web.codes import ProblemCode


class NoSuchGroup(ProblemCode, title="This group does not exist", detail="There is no group `{group}`."):
    group: str
