"""The API with everything behind it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.responses import Response
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from starlette.middleware import Middleware

from atoll.api.domains import DOMAINS, channels, permissions
from atoll.api.openapi import published
from atoll.api.routes import PREFIX, routes
from atoll.configuration import Configuration
from atoll.database.connection import connect, sessions
from atoll.database.frozen import keep_half_said_ended
from atoll.database.notifications import Listener
from atoll.identity.holders import Holders
from atoll.identity.permissions import PermissionTable
from atoll.web.events import Streams
from atoll.web.internal import add_health
from atoll.web.platform import Platform
from atoll.web.portal import add_portal
from atoll.web.turns import Turns


def application(configuration: Configuration) -> FastAPI:
    """The service."""
    database = connect(configuration, pool_size=20)
    parts = Platform(
        configuration=configuration,
        database=database,
        sessions=sessions(database),
        listener=Listener(configuration, channels()),
        held={
            PermissionTable: PermissionTable(permissions()),
            Streams: Streams(configuration.web.streams_per_user),
        },
    )
    for domain in DOMAINS:
        for part in domain.parts:
            if (made := part.make(configuration)) is not None:
                parts.held[part.kind] = made

    holders = Holders(parts.sessions)
    held: dict[str, asyncio.Task[None]] = {}

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        dropping = asyncio.create_task(holders.keep_up(parts.listener))
        listening = asyncio.create_task(parts.listener.run())
        held["listening"] = listening
        freeing = asyncio.create_task(keep_half_said_ended(parts.sessions))
        try:
            yield
        finally:
            for task in (listening, dropping, freeing):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            for domain in DOMAINS:
                for part in domain.parts:
                    if part.close is not None and (made := parts.find(part.kind)) is not None:
                        await part.close(made)
            await database.dispose()

    turns = Middleware(Turns, cookie=configuration.web.session_cookie, holders=holders)
    app = routes(frozenset({configuration.web.origin, *configuration.web.origins}), lifespan, [turns])
    app.state.platform = parts
    document = published()

    @app.get(f"{PREFIX}/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return Response(document, media_type="application/json")

    async def ready() -> str | None:
        try:
            async with database.connect() as connection:
                await connection.execute(text("SELECT 1"))
        except (SQLAlchemyError, OSError) as error:
            return f"the database does not answer ({type(error).__name__})"
        listening = held.get("listening")
        return "it does not hear of changes in the database" if listening is None or listening.done() else None

    add_health(app, ready)
    if configuration.web.portal is not None:
        add_portal(app, configuration.web.portal)  # last: it answers whatever is left
    return app
