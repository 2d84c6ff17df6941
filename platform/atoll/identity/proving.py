"""Who opens another way into an account is asked again who they are: a session that was left open is not enough."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Outcome, record
from atoll.identity import codes, passwords
from atoll.identity.caller import Caller
from atoll.identity.fresh import fresh as proven_lately
from atoll.identity.fresh import stale
from atoll.identity.permissions import PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giving
from atoll.identity.service import failures_of, fresh_at, keys_of, refuse_guessing
from atoll.web import told
from atoll.web.errors import Invalid, NotSignedIn
from atoll.web.platform import Platform


async def prove(
    parts: Platform, caller: Caller, password: str | None, *, hashed_token: str, device: str | None
) -> None:
    """Raise unless it is the caller's password, or, without one, they signed in anew at a provider lately.

    Raises NotSignedIn for a session that ended while it waited for its turn, Invalid at `password`, TooMany,
    Unavailable, NotAllowed. Wrong ones are counted as at a sign-in.
    """
    # Who shows a session may not be kept from this by what others guess.
    of_session = {"session": f"session:{hashed_token}"}
    async with parts.sessions() as session, session.begin():
        repository = IdentityRepository(session)
        await refuse_guessing(repository, of_session)
        fresh = await fresh_at(repository, caller.address)
        user = await repository.user(caller.id, verifying=True)
        if user is None:
            raise NotSignedIn(told.NotSignedIn())
        kept = user.password_hash
        if not password and await proven_lately(repository, hashed_token, elsewhere=True):
            return
    if not kept:
        raise stale()
    if not password:
        raise Invalid(told.InvalidRequest(), errors=[told.Missing().at("password")])
    # Outside of a transaction: whoever waits for a turn must not keep a connection from the others.
    known = bool(caller.permissions)
    async with passwords.turn_of_known(caller.name) if known else passwords.turn_of(caller.address):
        fit, _ = await passwords.fits(password, kept, known=known, fresh=fresh)
    async with parts.sessions() as session, session.begin():
        repository = IdentityRepository(session)
        await repository.judge_alone()
        await Giving(session, parts.part(PermissionTable)).refuse_gone(caller)
        await refuse_guessing(repository, of_session)
        if fit:
            return
        keys = await keys_of(repository, caller.name, caller.address, device)
        session.add_all(failures_of(of_session | keys, caller.name, caller.address))
        await _record(session, caller, "failed")
    # After the transaction, so that the failure is counted.
    raise Invalid(codes.WrongPassword(), errors=[codes.WrongPasswordField().at("password")])


async def prove_by_password(
    parts: Platform, caller: Caller, password: str, *, hashed_token: str, device: str | None
) -> None:
    """Keep with the session that its user proved just now who they are. Raises as `prove`."""
    await prove(parts, caller, password, hashed_token=hashed_token, device=device)
    async with parts.sessions() as session, session.begin():
        await IdentityRepository(session).proven(hashed_token)
        await _record(session, caller, "done")


async def _record(session: AsyncSession, caller: Caller, outcome: Outcome) -> None:
    """Keep that somebody proved who they are, or could not: of these a row a minute."""
    await record(
        session,
        caller,
        "session.prove",
        kind="session",
        identifier="",
        name=caller.name,
        outcome=outcome,
        folded=outcome == "failed",
    )
