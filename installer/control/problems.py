"""Errors of the control service as problem+json: a stable code, what is wrong, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from installer.cluster import ClusterError
from installer.errors import ToldError
from installer.running.errors import Busy
from installer.services.kubernetes_api import KubernetesUnavailable, NotThere
from installer.ssh.nodes import NodeUnreachable


@dataclass(frozen=True)
class Kind:
    """What can be answered: a status, a code, and the names of what is told beside it.

    The platform has the words of each in its languages (`platform/atoll/control/codes.py`).
    """

    status: int
    code: str
    params: frozenset[str] = frozenset()


class Problem(Exception):
    """An answer that is not what was asked for."""

    def __init__(self, kind: Kind, detail: str, remedy: str, **params: str) -> None:
        super().__init__(detail)
        if params.keys() != kind.params:
            raise TypeError(f"{kind.code} is told with {sorted(kind.params)}, not with {sorted(params)}")
        self.kind = kind
        self.detail = detail
        self.remedy = remedy
        self.params = params


NO_SUCH_SERVICE = Kind(404, "no_such_service", frozenset({"service"}))
NO_SUCH_ACTION = Kind(405, "no_such_action", frozenset({"service", "action"}))
NO_SUCH_RUN = Kind(404, "no_such_run", frozenset({"run"}))
NO_SUCH_IMAGE = Kind(404, "no_such_image", frozenset({"image"}))
NO_IMAGE_NAME = Kind(422, "no_image_name", frozenset({"image"}))
REGISTRY_UNAVAILABLE = Kind(503, "registry_unavailable")
USER_NOT_ALLOWED = Kind(403, "user_not_allowed", frozenset({"user"}))
USERS_UNAVAILABLE = Kind(503, "users_unavailable", frozenset({"user"}))
NOT_INSTALLED = Kind(503, "not_installed")
ANSWERS: dict[type, Kind] = {
    KubernetesUnavailable: Kind(503, "kubernetes_unavailable"),
    NotThere: Kind(404, "not_in_cluster"),
    NodeUnreachable: Kind(503, "node_unreachable"),
    ClusterError: Kind(422, "bad_cluster_yaml"),
    Busy: Kind(409, "busy"),
}
# What the platform passes on to people.
SHOWN = (
    NO_SUCH_SERVICE,
    NO_SUCH_ACTION,
    NO_SUCH_RUN,
    NO_SUCH_IMAGE,
    NO_IMAGE_NAME,
    REGISTRY_UNAVAILABLE,
    USER_NOT_ALLOWED,
    USERS_UNAVAILABLE,
    NOT_INSTALLED,
    *ANSWERS.values(),
)
# What only programs on a master ask for, or have asked for wrongly.
NO_SUCH_CONTROL_OPERATION = Kind(404, "no_such_control_operation")
NOT_FOR_CALLER = Kind(403, "not_for_caller")
NO_ACTING_USER = Kind(403, "no_acting_user")
TOO_MANY_REQUESTS = Kind(429, "too_many_requests")
TOO_MANY_STREAMS = Kind(429, "too_many_streams", frozenset({"limit"}))
INVALID_REQUEST = Kind(422, "invalid_request")
FAILED = Kind(500, "failed")


def install(app: FastAPI) -> None:
    """Answer every known error with its problem."""

    @app.exception_handler(Problem)
    def _problem(_request: Request, problem: Problem) -> JSONResponse:
        return answer(problem)

    @app.exception_handler(RequestValidationError)
    def _invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        said = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        return answer(Problem(INVALID_REQUEST, said, "Its parameters stand in installer/control/openapi.json."))

    @app.exception_handler(ToldError)
    def _told(_request: Request, error: ToldError) -> JSONResponse:
        kind = next((ANSWERS[base] for base in type(error).__mro__ if base in ANSWERS), FAILED)
        return answer(Problem(kind, error.message, error.remedy))


def answer(problem: Problem) -> JSONResponse:
    """Return what is told of it."""
    return JSONResponse(
        {
            "type": f"urn:atoll:problem:{problem.kind.code}",
            "title": problem.kind.code.replace("_", " "),
            "status": problem.kind.status,
            "code": problem.kind.code,
            "detail": problem.detail,
            "remedy": problem.remedy,
            "params": problem.params,
        },
        status_code=problem.kind.status,
        media_type="application/problem+json",
    )
