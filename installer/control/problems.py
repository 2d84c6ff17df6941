"""Errors of the control service as problem+json: a stable code, what is wrong, and what to do."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from installer.cluster import ClusterError
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


def install(app: FastAPI) -> None:
    """Answer every known error with its problem."""

    @app.exception_handler(Problem)
    def _problem(_request: Request, problem: Problem) -> JSONResponse:
        return _answer(problem)

    @app.exception_handler(KubernetesUnavailable)
    def _kubernetes(_request: Request, error: KubernetesUnavailable) -> JSONResponse:
        remedy = "Look at `service_ctl status kubernetes` and `service_ctl logs kubernetes`; both work without it."
        return _answer(Problem(503, "kubernetes_unavailable", str(error), remedy))

    @app.exception_handler(NotThere)
    def _not_there(_request: Request, error: NotThere) -> JSONResponse:
        remedy = "Run `./atoll plan` on the control host: something of the cluster is missing."
        return _answer(Problem(404, "not_in_cluster", f"{error} does not exist in the cluster", remedy))

    @app.exception_handler(NodeUnreachable)
    def _unreachable(_request: Request, error: NodeUnreachable) -> JSONResponse:
        return _answer(
            Problem(503, "node_unreachable", str(error), f"Check that `{error.node}` is on and answers SSH.")
        )

    @app.exception_handler(ClusterError)
    def _cluster(_request: Request, error: ClusterError) -> JSONResponse:
        return _answer(Problem(422, "bad_cluster_yaml", str(error), "Mend cluster.yaml, then try again."))

    @app.exception_handler(Busy)
    def _busy(_request: Request, error: Busy) -> JSONResponse:
        return _answer(Problem(409, "busy", error.message, error.remedy))


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
