"""What every part of the API may say, and what checks of requests say."""

from atoll.web.codes import FieldCode, ProblemCode


class Internal(
    ProblemCode,
    title="The platform failed",
    detail="An unexpected error was logged.",
    remedy="Give the request id to your administrator.",
):
    pass


class NotFound(
    ProblemCode, title="It does not exist", remedy="It may have been deleted, or it belongs to somebody else."
):
    pass


class NotSignedIn(ProblemCode, title="You are not signed in", remedy="Sign in again."):
    pass


class ChangedMeanwhile(ProblemCode, title="Somebody changed it meanwhile", remedy="Load the page again."):
    pass


class InvalidRequest(ProblemCode, title="The request has mistakes", remedy="Correct what is named and try again."):
    """Each mistake stands among the errors of the answer."""


class CharacterNotKept(
    ProblemCode,
    title="The request holds a character that cannot be kept",
    detail="No text may hold the character NUL.",
    remedy="Remove it from the text; what was copied from a binary file may hold it unseen.",
):
    pass


class IdempotencyKeyReused(
    ProblemCode,
    title="This was already asked for in another form",
    remedy="Look whether it is there already, then try again.",
):
    """For programs: a new request needs a new key."""


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


class ForeignSite(
    ProblemCode,
    title="The request comes from another site",
    detail="Writes are accepted from the portal only.",
    remedy="Open the portal under the address that the installer printed.",
):
    pass


class BadRequest(
    ProblemCode,
    title="The server cannot read the request",
    detail="{detail}",
    remedy="Load the page again; tell an administrator if it stays.",
):
    detail: str


class MethodNotAllowed(
    ProblemCode,
    title="This address does not know that method",
    remedy="Load the page again; programs find all addresses and their methods in /api/v1/openapi.json.",
):
    pass


class TooManyRequests(
    ProblemCode,
    title="Too many requests wait",
    detail="Of one user, and of one address without a session, {limit} may be here at a time.",
    remedy="Try again in some seconds.",
):
    limit: int


class Crowded(
    ProblemCode,
    title="Too many requests are open at this moment",
    remedy="Try again in some seconds; close other windows of the portal.",
):
    """Told by the gateway (gateway.conf.j2)."""


class TooFast(
    ProblemCode,
    title="Too many requests in a short time",
    detail="One session may ask for {a_second} things a second, and one address for ten times as many.",
    remedy="Try again in some seconds.",
):
    """Told by the gateway (gateway.conf.j2)."""

    a_second: int


class TooManyStreams(
    ProblemCode,
    title="Too many live views are open",
    detail="One user may have {limit} open at a time.",
    remedy="Close pages that you do not need.",
):
    limit: int


class TooLarge(
    ProblemCode,
    title="The request is too large",
    remedy="Send less at a time, in several requests.",
):
    pass


class HttpError(
    ProblemCode,
    title="The request was refused",
    detail="{detail}",
    remedy="Load the page again; tell an administrator if it stays.",
):
    detail: str


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


class NoEmail(FieldCode, words="This is no e-mail address; write for example ada@example.org, or nothing."):
    pass


class NoPhone(FieldCode, words="This is no phone number; write for example +49 30 1234567, or nothing."):
    pass


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
