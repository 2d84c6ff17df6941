"""What every part of the API may say, and what checks of requests say."""

from atoll.web.codes import FieldCode, ProblemCode


class Internal(ProblemCode, title="The platform failed", remedy="Give the request id to your administrator."):
    pass


class Unavailable(
    ProblemCode,
    title="A part of the platform does not answer",
    remedy="Try again in some seconds; an administrator sees the state under Services.",
):
    pass


class NotFound(
    ProblemCode, title="It does not exist", remedy="It may have been deleted, or it belongs to somebody else."
):
    pass


class NotSignedIn(ProblemCode, title="You are not signed in", remedy="Sign in again."):
    pass


class TooManyAttempts(ProblemCode, title="Too many attempts", remedy="Wait 15 minutes, then try again."):
    pass


class ChangedMeanwhile(ProblemCode, title="Somebody changed it meanwhile", remedy="Load the page again."):
    pass


class Conflict(ProblemCode, title="It does not fit the present state", detail="{detail}"):
    detail: str


class InvalidRequest(ProblemCode, title="The request has mistakes", detail="{detail}"):
    detail: str


class DatabaseUnavailable(
    ProblemCode,
    title="The database does not answer",
    remedy="Try again in some seconds; an administrator sees the state under Services.",
):
    pass


class ForeignOrigin(
    ProblemCode,
    title="The portal was opened under a foreign address",
    detail="Writes from {origin} are not accepted.",
    remedy="Open it under the address that the installer printed.",
):
    origin: str


class BadRequest(
    ProblemCode,
    title="The server cannot read the request",
    detail="{detail}",
    remedy="Load the page again; tell an administrator if it stays.",
):
    detail: str


class MethodNotAllowed(ProblemCode, title="This address does not know that method"):
    pass


class TooLarge(ProblemCode, title="The request is too large"):
    pass


class HttpError(ProblemCode, title="The request was refused", detail="{detail}"):
    detail: str


class NotAllowed(ProblemCode, title="You may not do this", remedy="Whoever administers roles can grant it."):
    pass


class ForeignRequest(
    ProblemCode,
    title="The request does not come from the portal",
    detail="A write needs the header `X-Atoll-Request: 1`.",
    remedy="Load the page again.",
):
    pass


class InvalidCursor(ProblemCode, title="The list has changed since it was read", remedy="Load the page again."):
    pass


class Missing(FieldCode, words="This is needed."):
    pass


class StringPatternMismatch(FieldCode, words="This has characters that are not allowed."):
    pass


class StringTooShort(FieldCode, words="This is needed."):
    pass


class StringTooLong(FieldCode, words="At most {max_length} characters."):
    max_length: int


class NoQuantity(
    FieldCode, code="value_error", words="This is not a valid value; write for example 2, 500m, 400Mi or 80Gi."
):
    pass


class NoChoice(FieldCode, code="literal_error", words="Choose one of {expected}."):
    expected: str


class ExtraForbidden(FieldCode, words="There is no such field."):
    pass


class InvalidValue(FieldCode, words="This is not a valid value: {why}"):
    """What a check says that has no code of its own."""

    why: str


class InvalidCursorField(FieldCode, code="invalid_cursor", words="This is no place in the list."):
    pass


class GreaterThanEqual(FieldCode, words="At least {ge}."):
    ge: int


class LessThanEqual(FieldCode, words="At most {le}."):
    le: int


class TooLong(FieldCode, words="At most {max_length} entries."):
    max_length: int


class TooShort(FieldCode, words="At least {min_length} entries."):
    min_length: int
