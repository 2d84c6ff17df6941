"""What archives tell people."""

from atoll.web.codes import ProblemCode, ReasonCode


class ArchiveCounts(ReasonCode, words="It looks at what there is: {entries} files and directories so far."):
    """Before anything is written."""

    entries: int


class ArchiveWrites(ReasonCode, words="{entries} of {total} files and directories are in the archive."):
    """While it is written."""

    entries: int
    total: int


class ArchiveTooLarge(
    ReasonCode,
    words="It holds more than an archive may: at most {entries} files and directories and {size_bytes} bytes.",
):
    """Told before anything is written, or as soon as it has grown that far."""

    entries: int
    size_bytes: int


class ArchiveOfNothing(
    ProblemCode,
    title="The request has mistakes",
    detail="An archive needs a name of its own.",
    remedy="Choose a file name for it that does not begin with .atoll-.",
):
    """The target is the home itself, or a hidden part of the platform."""
