"""The built portal, served by the API where there is no gateway (`./atoll dev`)."""

from pathlib import Path

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope


class _Portal(StaticFiles):
    """Files, and index.html for every address that the portal's own router knows."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory, html=True)
        self._index = directory / "index.html"

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, else the page."""
        try:
            answer = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404 or path.startswith(("api/", "assets/")):
                raise
            answer = FileResponse(self._index)
        # As at the gateway: names of assets carry a digest of the content, anything else is asked for again.
        answer.headers["Cache-Control"] = "max-age=31536000" if path.startswith("assets/") else "no-cache"
        answer.headers["Content-Security-Policy"] = (
            "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"
        )
        return answer


def add_portal(app: FastAPI, directory: Path) -> None:
    """Serve the portal below `/`."""

    app.mount("/", _Portal(directory))
