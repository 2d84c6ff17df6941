"""Errors of the control service as problem+json: a stable code, what is wrong, and what to do."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from installer.cluster import ClusterError
from installer.errors import ToldError
from installer.running.errors import Busy
from installer.services.kubernetes_api import KubernetesUnavailable, NotThere
from installer.ssh.nodes import NodeUnreachable


class Problem(Exception):
    """An answer that is not what was asked for."""

    def __init__(self, status: int, code: str, detail: str, remedy: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.remedy = remedy


ANSWERS: dict[type, tuple[int, str]] = {
    KubernetesUnavailable: (503, "kubernetes_unavailable"),
    NotThere: (404, "not_in_cluster"),
    NodeUnreachable: (503, "node_unreachable"),
    ClusterError: (422, "bad_cluster_yaml"),
    Busy: (409, "busy"),
}


def install(app: FastAPI) -> None:
    """Answer every known error with its problem."""

    @app.exception_handler(Problem)
    def _problem(_request: Request, problem: Problem) -> JSONResponse:
        return _answer(problem)

    @app.exception_handler(RequestValidationError)
    def _invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        said = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        return _answer(Problem(422, "invalid_request", said, "Its parameters stand in installer/control/openapi.json."))

    @app.exception_handler(ToldError)
    def _told(_request: Request, error: ToldError) -> JSONResponse:
        status, code = next((ANSWERS[kind] for kind in type(error).__mro__ if kind in ANSWERS), (500, "failed"))
        return _answer(Problem(status, code, error.message, error.remedy))


def _answer(problem: Problem) -> JSONResponse:
    return JSONResponse(
        {
            "type": f"urn:atoll:problem:{problem.code}",
            "title": problem.code.replace("_", " "),
            "status": problem.status,
            "code": problem.code,
            "detail": problem.detail,
            "remedy": problem.remedy,
        },
        status_code=problem.status,
        media_type="application/problem+json",
    )
