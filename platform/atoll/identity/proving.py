"""Who opens another way into an account is asked again who they are: a session that was left open is not enough."""

from datetime import timedelta

from atoll.database.base import now
from atoll.identity import codes, passwords
from atoll.identity.caller import Caller
from atoll.identity.permissions import PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giving
from atoll.identity.service import failures_of, fresh_at, keys_of, refuse_guessing
from atoll.web import told
from atoll.web.errors import Invalid, NotAllowed, NotSignedIn
from atoll.web.platform import Platform

FRESH = timedelta(minutes=15)


async def prove(
    parts: Platform, caller: Caller, password: str | None, *, hashed_token: str, device: str | None
) -> None:
    """Raise unless it is the caller's password, or, where the account has none, the session began lately.

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
        if not kept and not await repository.began_since(hashed_token, now() - FRESH):
            raise NotAllowed(codes.SignInAgain(minutes=int(FRESH.total_seconds()) // 60))
    if not kept:
        return
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
    # After the transaction, so that the failure is counted.
    raise Invalid(codes.WrongPassword(), errors=[codes.WrongPasswordField().at("password")])
