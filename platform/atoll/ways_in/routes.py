"""Ways in beside the password. Who comes from a provider comes to a page of the portal: no GET changes anything."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from atoll.configuration import Configuration
from atoll.identity.caller import Caller
from atoll.identity.cookies import set_cookies
from atoll.identity.dependencies import (
    allowed,
    client_address,
    device_hash,
    present,
    public,
    session_token,
    signed_in,
    user_agent,
)
from atoll.identity.proving import prove
from atoll.identity.rights.policy import USERS_MANAGE, USERS_READ
from atoll.identity.schemas import Session
from atoll.identity.tokens import token_hash
from atoll.providers import WayName
from atoll.ways_in import arriving
from atoll.ways_in.schemas import Proofs, WayLink, WayRegistration, WayReturn, WayReturned, WaysOfUser, WayStarted
from atoll.ways_in.service import Links
from atoll.web.dependencies import Configured, Parts, Transaction
from atoll.web.turns import give_back

router = APIRouter(tags=["identity"])
SESSION = "/session"
Device = Annotated[str | None, Depends(device_hash)]
Before = Annotated[str, Depends(session_token)]


def browser_cookie(configuration: Configuration) -> str:
    """The name of the cookie that binds a way to the browser that took it.

    With its prefix no other host sets it, as that of a task below the same domain might.
    """
    prefix = "__Host-" if configuration.web.secure_cookies else ""
    return f"{prefix}{configuration.web.session_cookie}_way"


def _keep(response: Response, configuration: Configuration, token: str) -> None:
    response.set_cookie(
        browser_cookie(configuration),
        token,
        max_age=int(arriving.OPEN_FOR.total_seconds()),
        httponly=True,
        secure=configuration.web.secure_cookies,
        samesite="strict",
        path="/",
    )


def _sign_in(request: Request, response: Response, configuration: Configuration, opened: arriving.Opened) -> Session:
    path = request.url.path.partition(SESSION)[0] + SESSION
    set_cookies(response, configuration, opened.token, opened.device, path)
    response.delete_cookie(
        browser_cookie(configuration),
        path="/",
        secure=configuration.web.secure_cookies,
        httponly=True,
        samesite="strict",
    )
    return opened.session


async def _visitor(request: Request, configured: Configured, device: Device, before: Before) -> arriving.Visitor:
    browser = request.cookies.get(browser_cookie(configured), "")
    return arriving.Visitor(
        address=client_address(request),
        request_id=request.state.request_id,
        browser=token_hash(browser) if browser else None,
        device=device,
        session=token_hash(before) if before else None,
        agent=await user_agent(request),
    )


Visitor = Annotated[arriving.Visitor, Depends(_visitor)]


@router.post("/session/ways/{way}/start", dependencies=[public()], status_code=201, name="start")
async def start(way: WayName, request: Request, response: Response, parts: Parts, visitor: Visitor) -> WayStarted:
    """Begin to sign in by a provider; the answer says where the browser goes, and sets a cookie that it comes with."""
    give_back(request)  # the provider may be slow
    address, state, browser = await arriving.start(parts, way, visitor, request.headers.get("origin"))
    _keep(response, parts.configuration, browser)
    return WayStarted(address=address, state=state)


@router.post("/session/ways/{way}", dependencies=[public()], status_code=201, name="come_back")
async def come_back(
    way: WayName, body: WayReturn, request: Request, response: Response, parts: Parts, visitor: Visitor
) -> WayReturned:
    """Tell with what the browser came back: sign in, learn that nobody is known, or have a link that was asked for."""
    caller = await present(request, parts)
    give_back(request)
    found = await arriving.come_back(parts, way, body, visitor, caller)
    if isinstance(found, arriving.Opened):
        return WayReturned(outcome="signed_in", session=_sign_in(request, response, parts.configuration, found))
    if isinstance(found, arriving.Unknown):
        _keep(response, parts.configuration, found.browser)
        return WayReturned(outcome="unknown", account=found.account)
    return WayReturned(outcome="linked")


@router.post("/session/ways/{way}/account", dependencies=[public()], status_code=201, name="register")
async def register(
    way: WayName, body: WayRegistration, request: Request, response: Response, parts: Parts, visitor: Visitor
) -> Session:
    """Make an account for oneself that is linked with who one is at the provider, and sign in to it."""
    opened = await arriving.register(parts, way, body, visitor)
    return _sign_in(request, response, parts.configuration, opened)


@router.get("/session/ways", name="list")
async def ways(
    caller: Annotated[Caller, signed_in(while_password_must_change=True)], session: Transaction, parts: Parts
) -> WaysOfUser:
    """By which ways one signs in, and by which one could."""
    return await Links(session, parts).of(caller.id)


@router.post("/session/ways/{way}/link", status_code=201, name="link")
async def link(
    way: WayName,
    body: WayLink,
    request: Request,
    response: Response,
    parts: Parts,
    visitor: Visitor,
    caller: Annotated[Caller, signed_in()],
) -> WayStarted:
    """Begin to link the own account with one at a provider; what comes back from there goes where a sign-in goes."""
    arriving.provider_of(parts, way)
    async with parts.sessions() as session:
        await Links(session, parts).refuse(caller, way)
    password = body.password.get_secret_value() if body.password else None
    await prove(parts, caller, password, hashed_token=visitor.session or "", device=visitor.device)
    give_back(request)
    address, state, browser = await arriving.start(parts, way, visitor, request.headers.get("origin"), caller)
    _keep(response, parts.configuration, browser)
    return WayStarted(address=address, state=state)


@router.get("/session/proof", name="proofs")
async def proofs(caller: Annotated[Caller, signed_in()], session: Transaction, parts: Parts, shown: Before) -> Proofs:
    """By what one proves who sits there, and whether that is needed: for what opens other ways into the account."""
    return await Links(session, parts).proofs(caller, token_hash(shown))


@router.post("/session/ways/{way}/prove", status_code=201, name="prove_by")
async def prove_by(
    way: WayName,
    request: Request,
    response: Response,
    parts: Parts,
    visitor: Visitor,
    caller: Annotated[Caller, signed_in()],
) -> WayStarted:
    """Begin to sign in anew by a linked provider; what comes back from there goes where a sign-in goes."""
    arriving.provider_of(parts, way)
    async with parts.sessions() as session:
        await Links(session, parts).refuse_unlinked(caller, way)
    give_back(request)
    origin = request.headers.get("origin")
    address, state, browser = await arriving.start(parts, way, visitor, origin, caller, proves=True)
    _keep(response, parts.configuration, browser)
    return WayStarted(address=address, state=state)


@router.delete("/session/ways/{way}", status_code=204, name="unlink")
async def unlink(way: WayName, caller: Annotated[Caller, signed_in()], session: Transaction, parts: Parts) -> None:
    """End a link of the own account."""
    await Links(session, parts).unlink(caller, caller.id, way)


@router.get("/users/{user_id}/ways", name="of_user")
async def ways_of_user(
    user_id: str, _caller: Annotated[Caller, allowed(USERS_READ)], session: Transaction, parts: Parts
) -> WaysOfUser:
    """By which ways a user signs in."""
    return await Links(session, parts).of(user_id)


@router.delete("/users/{user_id}/ways/{way}", status_code=204, name="unlink_user")
async def unlink_user(
    user_id: str, way: WayName, caller: Annotated[Caller, allowed(USERS_MANAGE)], session: Transaction, parts: Parts
) -> None:
    """End a link of a user's account, the only way into it, too."""
    await Links(session, parts).unlink(caller, user_id, way)
