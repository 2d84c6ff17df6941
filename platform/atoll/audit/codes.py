"""What the audit says."""

from atoll.web.codes import ProblemCode


class NoSuchRecord(
    ProblemCode,
    title="This record does not exist",
    remedy="Records are forgotten after the time that is configured.",
):
    pass


class TooManyRecords(
    ProblemCode,
    title="These are too many records for one file",
    detail="The filters select more than {limit} records.",
    remedy="Choose a shorter time, and export one after the other.",
):
    limit: int


class ExportRunning(
    ProblemCode,
    title="An export of yours is under way",
    detail="One user may have one at a time.",
    remedy="Wait until it has ended.",
):
    pass
