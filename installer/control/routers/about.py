"""The control service itself."""

from __future__ import annotations

import time

from fastapi import APIRouter

from installer.cluster import version
from installer.control.answers import About, Health
from installer.control.settings import Settings
from installer.running.runs import moment


def routes(settings: Settings) -> APIRouter:
    """Make what says who answers."""
    router = APIRouter(tags=["about"])
    started_at = moment(time.time())

    @router.get("/healthz", operation_id="health")
    def health() -> Health:
        return Health()

    @router.get("/about", operation_id="about")
    def about() -> About:
        return About.model_validate(
            {"cluster": settings.cluster, "node": settings.node, "version": version(), "started_at": started_at}
        )

    return router
