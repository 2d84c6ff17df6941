"""Who is sent to a provider, who comes back, and whose account that is.

Nobody is found by a name or an e-mail address: at a provider people write there what they want. An account is linked
with what the issuer calls its subject: by whoever is signed in to the account (`service.py`), or when it is made.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record_sign_in
from atoll.database.base import now
from atoll.identity import names as identity_names
from atoll.identity.accounts import add_account
from atoll.identity.caller import Caller
from atoll.identity.codes import AccountInactive
from atoll.identity.models import SignInAttemptRow, UserRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.registration import (
    record_registration,
    refuse_closed,
    refuse_more,
    refuse_tries,
    refuse_waiting,
    tries,
)
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giving
from atoll.identity.schemas import Session
from atoll.identity.service import IdentityService, refuse_too_many
from atoll.identity.tokens import new_token, token_hash
from atoll.providers import WayName
from atoll.ways_in import codes, proposing
from atoll.ways_in.asking import Guessed, NotBelieved, NotFresh, Unreachable, in_time
from atoll.ways_in.limits import Whence, refuse_guessing, whence
from atoll.ways_in.models import FlowRow, StrangerRow, linked
from atoll.ways_in.provider import Known, Provider, Sent
from atoll.ways_in.repository import WaysRepository, used
from atoll.ways_in.schemas import NewAccount, WayRegistration, WayReturn
from atoll.ways_in.service import Links
from atoll.ways_in.ways import BRANDS, Ways
from atoll.web import told
from atoll.web.errors import ApiError, Conflict, NotAllowed, NotFound, NotSignedIn, Unavailable
from atoll.web.platform import Platform
from atoll.web.turns import Lines

OPEN_FOR = timedelta(minutes=10)
MOST_OPEN_OF_SITE = 100  # an office may be behind one address; a known device is a site of its own
# Where a browser comes back to: a page of the portal, which tells the API by a write what it came with.
RETURN = "/sign-in/by/{way}"
log = structlog.get_logger(__name__)
_ASKING = Lines(4, waiting=16, wait_s=15)  # each provider is asked for so many of one line at a time


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sends a request, as far as that is known of a stranger."""

    address: str
    request_id: str
    browser: str | None  # the hash of what the browser was given for its way
    device: str | None
    session: str | None  # the hash of the session's token
    agent: str  # what the browser says it is


@dataclass(frozen=True, slots=True)
class Opened:
    """A session that begins: its token, the device's new one, and what it shows."""

    token: str
    device: str
    session: Session


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody's account: what one could be called, and the new token of the browser, which may make it."""

    account: NewAccount
    browser: str


async def start(
    parts: Platform,
    way: WayName,
    visitor: Visitor,
    origin: str | None,
    caller: Caller | None = None,
    *,
    proves: bool = False,
) -> tuple[str, str, str]:
    """Where to send the browser, the state that comes back, and what the browser is given to be known again.

    `caller`: who links, or (`proves`) shows that it is they; without one somebody signs in.

    Raises NotFound, Conflict, TooMany, Unavailable, NotAllowed.
    """
    provider = provider_of(parts, way)
    home = parts.configuration.web.origin
    if origin is not None and origin != home:
        raise Conflict(codes.OtherAddress(provider=provider.brand, origin=home))
    if proves and not provider.proves:
        raise Conflict(codes.ProvesNothing(provider=provider.brand))
    state, browser, verifier, begun = new_token(), new_token(), secrets.token_urlsafe(64), now()
    since = begun.timestamp() if proves else None
    async with parts.sessions() as session:
        found = await whence(IdentityRepository(session), visitor.address, visitor.device)
    sent = Sent(state, new_token(), verifier, _redirect(parts, way), chooses=caller is not None, since=since)
    async with _ASKING.turn(_line(way, found)):
        try:
            async with in_time():
                address = await provider.address(sent)
        except (Unreachable, NotBelieved) as error:
            raise _told(provider, error) from None
    async with parts.sessions() as session, session.begin():
        repository = WaysRepository(session)
        await repository.forget_ended()
        # The oldest of the same site go: whoever begins many is in the way of nobody elsewhere.
        await repository.end_oldest(found.site, MOST_OPEN_OF_SITE - 1)
        session.add(
            FlowRow(
                state_hash=token_hash(state),
                browser_hash=token_hash(browser),
                way=way,
                nonce=sent.nonce,
                verifier=verifier,
                user_id=caller.id if caller else None,
                proves=proves,
                site=found.site,
                begun_at=begun,
                expires_at=begun + OPEN_FOR,
            )
        )
    return address, state, browser


async def come_back(
    parts: Platform, way: WayName, body: WayReturn, visitor: Visitor, caller: Caller | None
) -> Opened | Unknown | None:
    """A session of whom the provider knows (another one of `caller`, who proved who they are), or who is unknown here.

    None: the account of `caller` is linked now.

    Raises NotFound, NotAllowed, NotSignedIn, Conflict, TooMany, Unavailable.
    """
    provider = provider_of(parts, way)
    async with parts.sessions() as session, session.begin():
        identity, repository = IdentityRepository(session), WaysRepository(session)
        origin = await whence(identity, visitor.address, visitor.device)
        await refuse_guessing(identity, origin)
        flow = await repository.take_flow(token_hash(body.state), visitor.browser or "", way)
    # It is over from here on, whatever becomes of it: what came back once is worth nothing again.
    if flow is None:
        raise NotAllowed(codes.WayEnded(provider=provider.brand))
    if flow.user_id is not None and (caller is None or caller.id != flow.user_id):
        raise NotSignedIn(told.NotSignedIn())
    if body.code is None:
        log.info("a provider did not say who somebody is", way=way, error=(body.error or "")[:64])
        raise NotAllowed(codes.ProviderDeclined(provider=provider.brand))
    since = flow.begun_at.timestamp() if flow.proves else None
    sent = Sent(body.state, flow.nonce, flow.verifier, _redirect(parts, way), since=since)
    known = await _asked(parts, provider, body.code, sent, body.issuer, visitor, origin)
    if caller is not None and flow.proves:
        return await _prove(parts, provider, known, visitor, caller)
    if caller is not None and flow.user_id is not None:
        async with parts.sessions() as session, session.begin():
            await Links(session, parts).link(caller, provider, known)
        return None
    return await _enter(parts, provider, known, visitor, origin)


async def _asked(
    parts: Platform, provider: Provider, code: str, sent: Sent, issuer: str | None, visitor: Visitor, origin: Whence
) -> Known:
    """Who came back. What they may have guessed is counted before the next one of their line has its turn."""
    async with _ASKING.turn(_line(provider.way, origin)):
        # Again: of many codes at once a provider is shown no more than of codes in a row.
        async with parts.sessions() as session, session.begin():
            await refuse_guessing(IdentityRepository(session), origin)
        try:
            async with in_time():
                return await provider.who(code, sent, issuer)
        except Guessed as error:
            async with parts.sessions() as session, session.begin():
                await _record_failure(session, provider.way, visitor, origin)
            raise _told(provider, error) from None
        except (Unreachable, NotBelieved) as error:  # of the provider itself: nobody who comes is to blame
            raise _told(provider, error) from None


async def register(parts: Platform, way: WayName, wanted: WayRegistration, visitor: Visitor) -> Opened:
    """Make the account of who came back and was unknown, and sign in. Raises as `come_back`, and Conflict for a name.

    The same rules as for who registers with a password (`atoll.identity.registration`).
    """
    provider = provider_of(parts, way)
    refuse_closed(parts)
    address, most = visitor.address, parts.configuration.registration.most_waiting
    refused: ApiError | None = None
    # First, so that who never came back, or asks too often, is in the way of nobody who waits to be judged.
    async with parts.sessions() as session, session.begin():
        await _stranger(session, parts, provider, visitor)
    async with parts.sessions() as session, session.begin():
        identity, repository = IdentityRepository(session), WaysRepository(session)
        await identity.judge_alone()
        stranger = await _stranger(session, parts, provider, visitor)
        session.add_all(tries(address))
        if await identity.taken_names([wanted.name]):
            refused = identity_names.taken(wanted.name)
        elif await repository.link(stranger.issuer, [stranger.subject]) is not None:
            refused = Conflict(codes.LinkedElsewhere(provider=provider.brand))
        else:
            # Without a password: there is none that would open it.
            user = await add_account(session, wanted.name, "", nickname=wanted.nickname, must_change_password=False)
            # Others make theirs meanwhile, each behind its uid.
            refuse_waiting(await identity.count(waiting=True) - 1, most)
            session.add(linked(user.id, way, stranger.issuer, stranger.subject, stranger.label))
            await session.delete(stranger)
            await record_registration(session, user, address, visitor.request_id, way=way)
            return await _open(session, parts, user, visitor, way)
    # After the transaction, so that the try is counted.
    raise refused


async def _stranger(session: AsyncSession, parts: Platform, provider: Provider, visitor: Visitor) -> StrangerRow:
    """Who came back in that browser and may make an account now. Raises NotAllowed, TooMany, Conflict."""
    stranger = await WaysRepository(session).stranger(visitor.browser or "", provider.way)
    if stranger is None:
        raise NotAllowed(codes.WayEnded(provider=provider.brand))
    most = parts.configuration.registration.most_waiting
    await refuse_more(IdentityRepository(session), visitor.address, most)
    return stranger


async def _enter(
    parts: Platform, provider: Provider, known: Known, visitor: Visitor, origin: Whence
) -> Opened | Unknown:
    async with parts.sessions() as session, session.begin():
        repository = WaysRepository(session)
        first = await repository.linked_user(known.issuer, known.subjects)
        user = None if first is None else await IdentityRepository(session).user(first, lock=True)
        # Behind the user's lock, which whoever makes or ends a link has first, too: it may have ended.
        found = await repository.link(known.issuer, known.subjects)
        if found is not None:
            row, _ = found
            if user is not None and user.active and user.id == row.user_id:
                await refuse_too_many(IdentityRepository(session), user.name)
                used(row, known.subjects[0], known.label, now())
                return await _open(session, parts, user, visitor, provider.way)
            await _record_failure(session, provider.way, visitor, origin, "" if user is None else user.name)
    if found is None:
        return await _unknown(parts, provider, known, visitor)
    # After the transaction, so that it is kept.
    raise NotAllowed(AccountInactive())


async def _prove(parts: Platform, provider: Provider, known: Known, visitor: Visitor, caller: Caller) -> Opened:
    """Another session in place of the one that is shown, by which its user came anew."""
    async with parts.sessions() as session, session.begin():
        user = await IdentityRepository(session).user(caller.id, lock=True)
        if user is None or not user.active:
            raise NotSignedIn(told.NotSignedIn())
        # The provider was waited for, and others.
        await Giving(session, parts.part(PermissionTable)).refuse_gone(caller)
        found = await WaysRepository(session).link(known.issuer, known.subjects)
        if found is None or found[0].user_id != user.id:
            raise NotAllowed(codes.SomebodyElse(provider=provider.brand))
        await refuse_too_many(IdentityRepository(session), user.name)
        used(found[0], known.subjects[0], known.label, now())
        return await _open(session, parts, user, visitor, provider.way, proven=True)


async def _unknown(parts: Platform, provider: Provider, known: Known, visitor: Visitor) -> Unknown:
    """Keep who came, so that they may make an account. Raises NotAllowed where nobody may, TooMany.

    What is proposed says which names are taken, and people write at a provider what they want: it is counted as a try.
    """
    if not parts.configuration.web.registration:
        raise NotAllowed(codes.NotLinked(provider=provider.brand))
    browser, proposed = new_token(), list(proposing.names(known.names))
    async with parts.sessions() as session, session.begin():
        identity = IdentityRepository(session)
        await identity.judge_alone()
        await refuse_tries(identity, visitor.address)
        session.add_all(tries(visitor.address))
        session.add(
            StrangerRow(
                browser_hash=token_hash(browser),
                way=provider.way,
                issuer=known.issuer,
                subject=known.subjects[0],
                label=known.label,
                expires_at=now() + OPEN_FOR,
            )
        )
        taken = await identity.taken_names(proposed)
    name = next((name for name in proposed if name not in taken), proposed[-1])
    nickname = proposing.nickname(known.nickname or known.label, name)
    return Unknown(NewAccount(name=name, nickname=nickname, label=known.label), browser)


async def _open(
    session: AsyncSession, parts: Platform, user: UserRow, visitor: Visitor, way: WayName, *, proven: bool = False
) -> Opened:
    return Opened(
        *await IdentityService(session, parts).begin(
            user,
            address=visitor.address,
            request_id=visitor.request_id,
            replaces=visitor.session,
            device=visitor.device,
            agent=visitor.agent,
            way=way,
            proven=proven,
        )
    )


async def _record_failure(
    session: AsyncSession, way: WayName, visitor: Visitor, origin: Whence, name: str = ""
) -> None:
    """Count it for where it comes from, and keep it."""
    session.add(SignInAttemptRow(key=origin.key))
    await record_sign_in(
        session,
        user_id=None,
        name=name,
        outcome="failed",
        address=visitor.address,
        request_id=visitor.request_id,
        details={"way": way},
    )


def provider_of(parts: Platform, way: WayName) -> Provider:
    """The provider of that way. Raises NotFound where it is not set up."""
    ways = parts.find(Ways)
    if ways is None or (provider := ways.provider(way)) is None:
        raise NotFound(codes.NoSuchWay(provider=BRANDS[way]))
    return provider


def _line(way: WayName, origin: Whence) -> str:
    """Where to wait for a provider: who waits for one that is silent is in nobody's way to the other one."""
    return f"{way}:{origin.line}"


def _redirect(parts: Platform, way: WayName) -> str:
    return parts.configuration.web.origin + RETURN.format(way=way)


def _told(provider: Provider, error: Unreachable | NotBelieved) -> ApiError:
    """What the person is told; the log says why."""
    log.warning("a provider was of no use", way=provider.way, why=str(error))
    if isinstance(error, Unreachable):
        return Unavailable(codes.ProviderUnreachable(provider=provider.brand))
    if isinstance(error, NotFresh):
        return NotAllowed(codes.ProviderNotFresh(provider=provider.brand))
    return NotAllowed(codes.ProviderNotBelieved(provider=provider.brand))
