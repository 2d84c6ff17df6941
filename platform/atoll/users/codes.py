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
    remedy="Another administrator can disable or delete it.",
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


class NoSuchUser(
    ProblemCode,
    title="This user does not exist",
    detail="There is no user `{name}`.",
    remedy="Load the list of users again and choose one of it; somebody may have deleted this one.",
):
    name: str


class UsersFileMistakes(
    ProblemCode,
    title="The file has mistakes",
    detail="There are {count}. Nothing was changed.",
    remedy="Mend them in the file, then import it again.",
):
    count: int


class NotWrittenDown(
    ProblemCode,
    title="The initial passwords were not written down",
    detail="Nothing was changed.",
    remedy="Import the file again.",
):
    pass


class FileTooLarge(FieldCode, words="The file is larger than {limit_mib} MiB; part it into several."):
    limit_mib: int


class TooManyLines(FieldCode, words="The file has more than {limit} users; part it into several."):
    limit: int


class FileWithoutLines(FieldCode, words="There is no user in the file."):
    pass


class FileEncoding(
    FieldCode, words="The text is neither UTF-8 nor GB18030 (GBK); save it as `CSV UTF-8` in the spreadsheet program."
):
    pass


class BrokenLine(FieldCode, words="This line cannot be read: look at its quotation marks."):
    pass


class UnknownColumn(FieldCode, words="Column {position}, `{name}`, is none of these: {known}."):
    position: int
    name: str
    known: str


class ColumnTwice(FieldCode, words="There is a second column `{name}`."):
    name: str


class ColumnsMissing(FieldCode, words="These columns are missing: {names}."):
    names: tuple[str, ...]


class TooManyCells(FieldCode, words="This line has {found} cells, the first one {columns}."):
    found: int
    columns: int


class NameTwice(FieldCode, words="This name stands in line {line} already."):
    line: int


class NameOfDeleted(FieldCode, words="The account of this name was deleted; nobody gets its name again."):
    pass


class MoreThanYouHoldField(
    FieldCode, code="more_than_you_hold", words="This is more than you may do yourself. You lack: {permissions}."
):
    permissions: str


class NoSuchVirtualClusterField(
    FieldCode, code="no_such_virtual_cluster", words="There is no virtual cluster `{name}`."
):
    name: str
