"""What accounts say."""

from atoll.web.codes import ProblemCode


class NameTaken(
    ProblemCode, title="This name is taken", detail="The name `{name}` is taken.", remedy="Choose another name."
):
    name: str


class LastAdministrator(
    ProblemCode,
    title="This is the last administrator who can sign in",
    detail="Without `{name}` nobody could administer the platform.",
    remedy="Enable or make another administrator first. When none can sign in: `./atoll users --help` on the machine"
    " that installed the cluster.",
):
    name: str


class OwnPassword(
    ProblemCode,
    title="This is your own account",
    detail="You would be signed out before you could read the one-time password.",
    remedy="Change your password in your own menu, above right.",
):
    pass


class NoSuchUser(ProblemCode, title="This user does not exist", detail="There is no user `{name}`."):
    name: str
