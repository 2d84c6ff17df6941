"""What can go wrong for a caller: one tree of errors, each with a stable code, shown as problem+json (RFC 9457)."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy import exc
from starlette.exceptions import HTTPException

from atoll.web import told
from atoll.web.codes import FieldCode, ProblemCode
from atoll.web.schema import CodeName, FieldError, Problem

# What pydantic finds, by the name that it has there; the parameters are named likewise.
CHECKS: dict[str, type[FieldCode]] = {
    kind.code: kind
    for kind in (
        told.ExtraForbidden,
        told.GreaterThanEqual,
        told.LessThanEqual,
        told.Missing,
        told.NoChoice,
        told.NoQuantity,
        told.StringPatternMismatch,
        told.StringTooLong,
        told.StringTooShort,
        told.TooLong,
        told.TooShort,
    )
}
# PostgreSQL's codes (character_not_in_repertoire, untranslatable_character) for a text that it cannot keep.
_NO_TEXT = frozenset({"22021", "22P05"})


class ApiError(Exception):
    """The base: a person or program asked for something that cannot be done."""

    status = 500
    code = "internal"
    title = "The platform failed"

    def __init__(
        self,
        said: str | ProblemCode,
        *,
        remedy: str = "",
        code: str | None = None,
        errors: list[FieldError] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        declared = said if isinstance(said, ProblemCode) else None
        self.detail = declared.text if declared is not None else str(said)
        super().__init__(self.detail)
        self.remedy = remedy or (declared.fill(declared.remedy) if declared is not None else "")
        self.code = declared.code if declared is not None else code or type(self).code
        self.title = declared.fill(declared.title) if declared is not None else type(self).title
        self.errors = errors or []
        self.headers = headers or {}


class Invalid(ApiError):
    """The request is understood but cannot be accepted."""

    status = 422
    code = "invalid_request"
    title = "The request has mistakes"


class NotSignedIn(ApiError):
    """No session, or one that has ended."""

    status = 401
    code = "not_signed_in"
    title = "You are not signed in"


class NotAllowed(ApiError):
    """The caller may not do this."""

    status = 403
    code = "not_allowed"
    title = "You may not do this"


class NotFound(ApiError):
    """It does not exist, or the caller may not know that it does."""

    status = 404
    code = "not_found"
    title = "It does not exist"


class Conflict(ApiError):
    """It does not fit the present state."""

    status = 409
    code = "conflict"
    title = "It does not fit the present state"


class Changed(ApiError):
    """Somebody else changed it in between."""

    status = 412
    code = "changed_meanwhile"
    title = "It was changed meanwhile"


class TooMany(ApiError):
    """Too often in too short a time."""

    status = 429
    code = "too_many_attempts"
    title = "Too many attempts"


class Unavailable(ApiError):
    """A part that is needed does not answer."""

    status = 503
    code = "unavailable"
    title = "A part of the platform does not answer"


_BY_STATUS: dict[int, tuple[str, str]] = {
    400: ("bad_request", "The request cannot be read"),
    404: (NotFound.code, NotFound.title),
    405: ("method_not_allowed", "This address does not know that method"),
    413: ("too_large", "The request is too large"),
}


def _answer(
    request: Request,
    *,
    status: int,
    code: str,
    title: str,
    detail: str,
    remedy: str = "",
    errors: list[FieldError] | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    problem = Problem(
        type=f"urn:atoll:problem:{code}",
        title=title,
        status=status,
        code=CodeName(code),
        detail=detail,
        remedy=remedy,
        request_id=getattr(request.state, "request_id", ""),
        errors=errors or [],
    )
    return JSONResponse(problem.model_dump(mode="json"), status, media_type="application/problem+json", headers=headers)


def api_error(request: Request, error: ApiError) -> Response:
    """The answer for `error`."""
    return _answer(
        request,
        status=error.status,
        code=error.code,
        title=error.title,
        detail=error.detail,
        remedy=error.remedy,
        errors=error.errors,
        headers=error.headers,
    )


def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # noqa: S101 - registered for this type only
    return api_error(request, error)


def field_errors(error: RequestValidationError) -> list[FieldError]:
    """Pydantic's findings as field errors: paths inside the body, no echo of the input."""
    found = []
    for entry in error.errors():
        place = [str(part) for part in entry["loc"] if part not in ("body", "query", "path", "header")]
        found.append(_mistake(entry).at(".".join(place)))
    return found


def _mistake(entry: dict[str, Any]) -> FieldCode:
    context = entry.get("ctx", {})
    kind = CHECKS.get(entry["type"])
    if kind is None or not kind.parameters() <= context.keys():
        return told.InvalidValue(why=entry["msg"])
    return kind(**{name: context[name] for name in kind.parameters()})


def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type only
    errors = field_errors(error)
    detail = "; ".join(f"{item.field}: {item.message}" if item.field else item.message for item in errors)
    return _answer(request, status=422, code=Invalid.code, title=Invalid.title, detail=detail, errors=errors)


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type only
    code, title = _BY_STATUS.get(error.status_code, ("http_error", "The request was refused"))
    headers = dict(error.headers) if error.headers else None
    return _answer(request, status=error.status_code, code=code, title=title, detail=str(error.detail), headers=headers)


def _database(request: Request, error: Exception) -> Response:
    """A database that is restarting or away is no mistake of the program: the caller may try again.

    Nor is a text that no database keeps: that is the caller's.
    """
    if isinstance(error, exc.DBAPIError) and getattr(error.orig, "sqlstate", None) in _NO_TEXT:
        return api_error(request, Invalid("The request holds a character that cannot be kept (NUL)."))
    if isinstance(error, exc.DBAPIError) and not (
        error.connection_invalidated or isinstance(error, exc.OperationalError | exc.InterfaceError)
    ):
        raise error
    return api_error(
        request,
        Unavailable("The database does not answer.", code="database_unavailable", remedy="Try again in some seconds."),
    )


def _unexpected(request: Request, _error: Exception) -> Response:
    # Starlette raises the error again after this answer, so the server's log has it with its trace.
    return _answer(
        request,
        status=500,
        code=ApiError.code,
        title=ApiError.title,
        detail="An unexpected error was logged.",
        remedy="Give the request id to your administrator.",
    )


def install(app: FastAPI) -> None:
    """Let `app` answer every error as problem+json."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    # A command or a free connection that is waited for too long is a TimeoutError: Python's, or SQLAlchemy's own.
    for kind in (exc.DBAPIError, exc.TimeoutError, ConnectionError, TimeoutError):
        app.add_exception_handler(kind, _database)
    app.add_exception_handler(Exception, _unexpected)
