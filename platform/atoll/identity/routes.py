"""Sign-in, sign-out, the own password."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from atoll.identity.caller import Caller
from atoll.identity.cookies import set_cookie, set_cookies
from atoll.identity.dependencies import client_address, device_hash, public, session_token, signed_in, user_agent
from atoll.identity.proving import prove_by_password
from atoll.identity.registration import register
from atoll.identity.schemas import (
    OwnSession,
    PasswordChange,
    Proof,
    Registered,
    Registration,
    Session,
    SessionsEnded,
    SignIn,
)
from atoll.identity.service import IdentityService
from atoll.identity.sessions import SessionService
from atoll.identity.tokens import token_hash
from atoll.web.dependencies import Configured, Cursor, Limit, Parts, Transaction
from atoll.web.schema import Page
from atoll.web.turns import give_back

router = APIRouter(tags=["identity"])


async def _service(session: Transaction, parts: Parts) -> IdentityService:
    return IdentityService(session, parts)


Service = Annotated[IdentityService, Depends(_service)]
Token = Annotated[str, Depends(session_token)]
Device = Annotated[str | None, Depends(device_hash)]
Agent = Annotated[str, Depends(user_agent)]


async def _sessions(session: Transaction, token: Token) -> SessionService:
    return SessionService(session, token_hash(token))


Sessions = Annotated[SessionService, Depends(_sessions)]


@router.post("/session", dependencies=[public()], status_code=201)
async def sign_in(
    body: SignIn, request: Request, response: Response, parts: Parts, before: Token, device: Device, agent: Agent
) -> Session:
    """Sign in; the answer sets the cookie `atoll_session`, and `atoll_session_device` for the limit of guesses."""
    give_back(request)  # whose password is looked at stands in a line of its own
    # Not in the request's transaction: failures must be counted although the request fails.
    token, known, session = await IdentityService.sign_in(
        parts,
        body.name,
        body.password.get_secret_value(),
        address=client_address(request),
        request_id=request.state.request_id,
        replaces=token_hash(before) if before else None,
        device=device,
        agent=agent,
    )
    set_cookies(response, parts.configuration, token, known, request.url.path)
    return session


@router.get("/session", name="read")
async def session(
    service: Service,
    caller: Annotated[Caller, signed_in(while_password_must_change=True, by_token=True)],
    token: Token,
) -> Session:
    """Who is signed in, and what they may do; by an access token, what that opens, and when it ends."""
    if caller.token is not None:
        return await service.session_by_token(caller, caller.token)
    return await service.session(token_hash(token))


@router.delete("/session", status_code=204)
async def sign_out(
    response: Response,
    service: Service,
    configured: Configured,
    caller: Annotated[Caller, signed_in(while_password_must_change=True)],
    token: Token,
) -> None:
    """Sign out: the session ends on the server and the cookie is removed."""
    await service.sign_out(caller, token_hash(token))
    response.delete_cookie(configured.web.session_cookie, path="/")


@router.post("/session/proof", status_code=204, name="prove")
async def prove(
    body: Proof, request: Request, parts: Parts, token: Token, device: Device, caller: Annotated[Caller, signed_in()]
) -> None:
    """Prove by the password who sits there: for some minutes it is not asked for what opens other ways in."""
    give_back(request)  # as for sign_in
    password = body.password.get_secret_value()
    await prove_by_password(parts, caller, password, hashed_token=token_hash(token), device=device)


@router.get("/sessions", name="list_sessions")
async def sessions(
    service: Sessions, caller: Annotated[Caller, signed_in()], limit: Limit = 50, cursor: Cursor = None
) -> Page[OwnSession]:
    """The own sessions that have not ended, the newest first."""
    return await service.list(caller, limit, cursor)


@router.post("/sessions/end-others", name="end_other_sessions")
async def end_others(service: Sessions, caller: Annotated[Caller, signed_in()]) -> SessionsEnded:
    """End all own sessions but this one; streams and downloads of theirs end within seconds."""
    return await service.end_others(caller)


@router.delete("/sessions/{session_id}", status_code=204, name="end_session")
async def end_session(session_id: str, service: Sessions, caller: Annotated[Caller, signed_in()]) -> None:
    """End an own session; its streams and downloads end within seconds."""
    await service.end(caller, session_id)


@router.post("/session/password")
async def change_password(
    body: PasswordChange,
    response: Response,
    parts: Parts,
    token: Token,
    device: Device,
    agent: Agent,
    caller: Annotated[Caller, signed_in(while_password_must_change=True)],
) -> Session:
    """Change the own password; every other session of the user ends and this one gets a new cookie.

    Access tokens stay unless they are to end, too, and so do other ways into the account.
    """
    # Not in the request's transaction, as for sign_in.
    new_token, changed = await IdentityService.change_password(
        parts,
        caller,
        body.current_password.get_secret_value(),
        body.new_password.get_secret_value(),
        token_hash(token),
        device,
        agent,
        end_access_tokens=body.end_access_tokens,
        end_links=body.end_links,
    )
    set_cookie(response, parts.configuration, new_token)
    return changed


@router.post("/registrations", dependencies=[public()], status_code=201, name="register")
async def registration(body: Registration, request: Request, parts: Parts) -> Registered:
    """Make an account for oneself. It can sign in, and may do nothing until an administrator gives it a role."""
    give_back(request)  # as for sign_in: passwords of strangers have a line of their own
    await register(parts, body, client_address(request), request.state.request_id)
    return Registered(name=body.name)
