"""What roles say."""

from atoll.web.codes import ProblemCode


class NoSuchRole(
    ProblemCode,
    title="This role does not exist",
    detail="There is no role `{role}`.",
    remedy="Load the list of roles again and choose one of it; somebody may have deleted this one.",
):
    role: str


class PresetRole(
    ProblemCode,
    title="This role is preset",
    detail="`{name}` is part of every installation: it is neither changed nor deleted.",
    remedy="Make a role of your own.",
):
    name: str
