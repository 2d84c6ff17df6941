"""What can go wrong for a caller: one tree of errors, each with a stable code, shown as problem+json (RFC 9457)."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy import exc
from starlette.exceptions import HTTPException

from atoll.database.connection import LOST
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
        told.NoEmail,
        told.NoPhone,
        told.NoQuantity,
        told.StringPatternMismatch,
        told.StringTooLong,
        told.StringTooShort,
        told.TooLong,
        told.TooShort,
    )
}
RETRY_AFTER_S = 5
# That are told of one request: a body has room for 90,000, and everybody waits while they are put into words.
MOST_MISTAKES = 100
# PostgreSQL's codes (character_not_in_repertoire, untranslatable_character) for a text that it cannot keep.
_NO_TEXT = frozenset({"22021", "22P05"})


class ApiError(Exception):
    """The base: a person or program asked for something that cannot be done. The type says how HTTP puts it."""

    status = 500

    def __init__(
        self, problem: ProblemCode, *, errors: list[FieldError] | None = None, headers: dict[str, str] | None = None
    ) -> None:
        self.problem = problem
        self.errors = errors or []
        self.headers = headers or {}
        super().__init__(self.detail)

    @property
    def code(self) -> CodeName:
        """What programs and translations go by."""
        return self.problem.code

    @property
    def detail(self) -> str:
        """What is wrong, in English."""
        if isinstance(self.problem, told.InvalidRequest) and self.errors:
            return "; ".join(f"{item.field}: {item.message}" if item.field else item.message for item in self.errors)
        return self.problem.text


class Invalid(ApiError):
    """The request is understood but cannot be accepted."""

    status = 422


class NotSignedIn(ApiError):
    """No session, or one that has ended."""

    status = 401


class NotAllowed(ApiError):
    """The caller may not do this."""

    status = 403


class NotFound(ApiError):
    """It does not exist, or the caller may not know that it does."""

    status = 404


class Conflict(ApiError):
    """It does not fit the present state."""

    status = 409


class Changed(ApiError):
    """Somebody else changed it in between."""

    status = 412


class TooMany(ApiError):
    """Too often in too short a time."""

    status = 429


class Unavailable(ApiError):
    """A part that is needed does not answer."""

    status = 503


def _by_status(status: int, detail: str) -> ProblemCode:
    """What Starlette and FastAPI refuse by themselves."""
    match status:
        case 400:
            return told.BadRequest(detail=detail)
        case 404:
            return told.NotFound()
        case 405:
            return told.MethodNotAllowed()
        case 413:
            return told.TooLarge()
        case _:
            return told.HttpError(detail=detail)


def api_error(request: Request, error: ApiError) -> Response:
    """The answer for `error`."""
    problem = error.problem
    body = Problem(
        type=f"urn:atoll:problem:{problem.code}",
        title=problem.fill(problem.title),
        status=error.status,
        code=problem.code,
        detail=error.detail,
        remedy=problem.fill(problem.remedy),
        params=problem.params,
        request_id=getattr(request.state, "request_id", ""),
        errors=error.errors,
    )
    return JSONResponse(
        body.model_dump(mode="json"), error.status, media_type="application/problem+json", headers=error.headers
    )


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)  # noqa: S101 - registered for this type only
    return api_error(request, error)


def field_errors(error: RequestValidationError) -> list[FieldError]:
    """Pydantic's findings as field errors, the first of them: paths inside the body, no echo of the input."""
    found = []
    for entry in error.errors()[:MOST_MISTAKES]:
        place = [str(part) for part in entry["loc"] if part not in ("body", "query", "path", "header")]
        found.append(_mistake(entry).at(".".join(place)))
    return found


def _mistake(entry: dict[str, Any]) -> FieldCode:
    context = entry.get("ctx", {})
    kind = CHECKS.get(entry["type"])
    if kind is None or not kind.parameters() <= context.keys():
        return told.InvalidValue(why=entry["msg"])
    return kind(**{name: context[name] for name in kind.parameters()})


async def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type only
    return api_error(request, Invalid(told.InvalidRequest(), errors=field_errors(error)))


def refused_by_status(error: HTTPException) -> ApiError:
    """What Starlette, FastAPI or a middleware refuse, as everything is told."""
    headers = dict(error.headers) if error.headers else None
    refused = ApiError(_by_status(error.status_code, str(error.detail)), headers=headers)
    refused.status = error.status_code
    return refused


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type only
    return api_error(request, refused_by_status(error))


async def _database(request: Request, error: Exception) -> Response:
    """A database that is restarting or away is no mistake of the program: the caller may try again.

    Nor is a text that no database keeps: that is the caller's.
    """
    if isinstance(error, exc.DBAPIError) and getattr(error.orig, "sqlstate", None) in _NO_TEXT:
        return api_error(request, Invalid(told.CharacterNotKept()))
    if isinstance(error, exc.DBAPIError) and not (error.connection_invalidated or isinstance(error, LOST)):
        raise error
    return api_error(request, Unavailable(told.DatabaseUnavailable(), headers={"Retry-After": str(RETRY_AFTER_S)}))


async def _unexpected(request: Request, _error: Exception) -> Response:
    # Starlette raises the error again after this answer, so the server's log has it with its trace.
    return api_error(request, ApiError(told.Internal()))


def install(app: FastAPI) -> None:
    """Let `app` answer every error as problem+json."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    # A command or a free connection that is waited for too long is a TimeoutError: Python's, or SQLAlchemy's own.
    for kind in (exc.DBAPIError, *LOST, ConnectionError, TimeoutError):
        app.add_exception_handler(kind, _database)
    app.add_exception_handler(Exception, _unexpected)
