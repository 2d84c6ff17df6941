"""What files say."""

from atoll.web.codes import ProblemCode


class FilesUnavailable(
    ProblemCode,
    title="The service of files does not answer",
    detail="The service of files does not answer ({why}).",
    remedy="Try again in some seconds.",
):
    why: str


class StorageUnavailable(
    ProblemCode,
    title="The storage does not answer",
    remedy="Try again in some seconds; an administrator sees the state under Services.",
):
    pass


class NoHome(
    ProblemCode,
    title="The storage took no home",
    detail="The storage does not take a home for this user: {why}.",
    remedy="Try again in some seconds; an administrator sees the state under Services.",
):
    why: str


class FileNotRead(
    ProblemCode,
    title="The storage does not give this file",
    detail="`{path}` cannot be read: {why}.",
    remedy="Try again in some seconds; an administrator sees the state under Services.",
):
    path: str
    why: str


class NoSuchFile(
    ProblemCode,
    title="This file or directory does not exist",
    detail="`{path}` does not exist.",
    remedy="Load the directory again; it may have been renamed, moved or deleted.",
):
    path: str


class NotADirectory(
    ProblemCode,
    title="This is not a directory",
    detail="`{path}` is not a directory.",
    remedy="Choose a directory, or the one in which this file lies.",
):
    path: str


class NotAFile(
    ProblemCode,
    title="This is not a file",
    detail="`{path}` is not a file.",
    remedy="Choose a file in it; a whole directory is taken as an archive.",
):
    path: str


class FileNotReadable(
    ProblemCode,
    title="This file cannot be read",
    detail="The owner may not read `{path}`.",
    remedy="Give its owner the right to read it: chmod u+r in a terminal of a development environment.",
):
    path: str


class PathLeadsOut(
    ProblemCode,
    title="This path leads out of the directory",
    detail="`{path}` leads out of the home.",
    remedy="Choose a path below your home; symbolic links that lead out of it are not followed.",
):
    path: str


class InvalidRange(
    ProblemCode,
    title="The file does not have the part that was asked for",
    detail="The file has {size_bytes} bytes.",
    remedy="Ask for a part within this size, or load the file from its beginning.",
):
    size_bytes: int


class RangeEndsFirst(
    ProblemCode,
    title="The part that was asked for ends before it begins",
    remedy="Write the first byte before the last one, for example bytes=0-499.",
):
    pass


class PathTooLong(
    ProblemCode,
    title="This path is too long",
    detail="`{path}` is too long.",
    remedy="Choose shorter names, or a directory that lies less deep.",
):
    path: str


class FileWorkerFailed(
    ProblemCode,
    title="The service of files failed at this",
    remedy="Try again; give the request id to your administrator if it stays.",
):
    pass


class FilesFailed(
    ProblemCode,
    title="The service of files failed",
    detail="{detail}",
    remedy="Try again; give the request id to your administrator if it stays.",
):
    detail: str


class FileExists(
    ProblemCode,
    title="Something has this name already",
    detail="`{path}` exists already.",
    remedy="Choose another name, or remove it first.",
):
    path: str


class FileNameUnfit(
    ProblemCode,
    title="This is not a name for a file",
    detail="`{path}` is not a name for a file.",
    remedy="Choose a name without slashes and control characters that is not . or .. and no longer than 255 bytes.",
):
    path: str


class StorageFull(
    ProblemCode,
    title="The storage has no room left for you",
    remedy="Remove files that you no longer need, or ask an administrator for room.",
):
    pass


class FileBusy(
    ProblemCode,
    title="Somebody else still writes this file",
    detail="Somebody else still writes `{path}`.",
    remedy="Try again in a moment.",
):
    path: str


class DirectoryTooLarge(
    ProblemCode,
    title="There is too much in this directory to do this",
    detail="`{path}` or a directory in it holds more names than can be looked at: at most {entries}, fewer long ones.",
    remedy="Look at it in the terminal of an environment, or move what is in it to several directories.",
):
    path: str
    entries: int


class FileHollow(
    ProblemCode,
    title="A file says that it is far larger than what is in it",
    detail="`{path}` is nearly all hole: an archive would be made of emptiness for hours.",
    remedy="Write the file anew without holes, or move it out of the directory.",
):
    path: str


class TooManyFileRequests(
    ProblemCode,
    title="You do too much with files at a time",
    detail="{limit} of your requests of this sort are being served already.",
    remedy="Wait until one of your downloads has ended, or end one, then try again.",
):
    limit: int


class FilesCrowded(
    ProblemCode,
    title="The service of files has its hands full",
    detail="As many people as it can serve at a time are being served.",
    remedy="Try again in some seconds.",
):
    pass
