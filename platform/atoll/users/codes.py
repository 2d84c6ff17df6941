"""What accounts say."""

from atoll.web.codes import ProblemCode


class NameTaken(
    ProblemCode, title="This name is taken", detail="The name `{name}` is taken.", remedy="Choose another name."
):
    name: str


class NoSuchVirtualCluster(
    ProblemCode, title="This virtual cluster does not exist", detail="There is no virtual cluster `{name}`."
):
    name: str
