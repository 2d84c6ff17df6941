"""The caller's settings: read, change."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.settings.policy import SETTINGS_READ, SETTINGS_WRITE
from atoll.settings.schemas import Settings, SettingsChange
from atoll.settings.service import SettingsService
from atoll.web.conditional import IfMatch, etag
from atoll.web.dependencies import Parts, Transaction

router = APIRouter(tags=["settings"])


async def _service(session: Transaction, parts: Parts) -> SettingsService:
    return SettingsService(session, parts.configuration)


Service = Annotated[SettingsService, Depends(_service)]


@router.get("/settings", name="read")
async def settings(response: Response, service: Service, caller: Annotated[Caller, allowed(SETTINGS_READ)]) -> Settings:
    """What the caller has set, and what holds without that."""
    return etag(response, await service.read(caller))


@router.put("/settings", name="change")
async def change(
    body: SettingsChange,
    response: Response,
    service: Service,
    caller: Annotated[Caller, allowed(SETTINGS_WRITE)],
    judge: JudgedAgain,
    if_match: IfMatch = None,
) -> Settings:
    """Use another virtual cluster, look again in other intervals, see another language, look or time zone."""
    found = await service.change(caller, body, if_match)
    await judge(caller)
    return etag(response, found)
