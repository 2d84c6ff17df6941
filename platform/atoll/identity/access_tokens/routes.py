"""The own access tokens: made, listed and ended by who is signed in, never by a token."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.access_tokens.schemas import AccessToken, AccessTokenCreate, AccessTokenOptions, NewAccessToken
from atoll.identity.access_tokens.service import AccessTokenService
from atoll.identity.caller import Caller
from atoll.identity.dependencies import signed_in
from atoll.identity.permissions import PermissionTable
from atoll.web.dependencies import Configured, Cursor, Limit, Parts, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["identity"])


async def _service(session: Transaction, parts: Parts) -> AccessTokenService:
    return AccessTokenService(session, parts.part(PermissionTable))


Service = Annotated[AccessTokenService, Depends(_service)]
Owner = Annotated[Caller, signed_in()]


@router.get("/access-tokens", name="list_access_tokens")
async def access_tokens(service: Service, caller: Owner, limit: Limit = 50, cursor: Cursor = None) -> Page[AccessToken]:
    """The own access tokens, the newest first; those whose time is over, too, for thirty days."""
    return await service.list(caller.id, limit, cursor)


@router.get("/access-tokens/options", name="access_token_options")
async def options(service: Service, configured: Configured, caller: Owner) -> AccessTokenOptions:
    """What a new access token can be given."""
    return service.options(caller, configured.access_tokens)


@router.post("/access-tokens", status_code=201, name="create_access_token")
async def create(body: AccessTokenCreate, service: Service, configured: Configured, caller: Owner) -> NewAccessToken:
    """A new access token, which is told this once."""
    return await service.create(caller, body, configured.access_tokens)


@router.delete("/access-tokens/{token_id}", status_code=204, name="delete_access_token")
async def delete(token_id: str, service: Service, caller: Owner) -> None:
    """End an access token; streams and downloads that it opened end within seconds."""
    await service.end(caller, caller.id, caller.name, token_id)
