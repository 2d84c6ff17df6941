"""People make accounts for themselves: these may do nothing until an administrator gives them a role."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record
from atoll.database.connection import wait_briefly
from atoll.identity import codes, names, passwords
from atoll.identity.accounts import add_account
from atoll.identity.models import SignInAttemptRow, UserRow
from atoll.identity.repository import IdentityRepository
from atoll.identity.schemas import Registration
from atoll.identity.service import WINDOW, fresh_at, too_often
from atoll.web.errors import Conflict, NotAllowed
from atoll.web.platform import Platform
from atoll.web.turns import machine

# Tries, whatever became of them, since each says whether a name is taken.
MOST_OF_ADDRESS = 10
MOST_IN_ALL = 60
_ALL = "registrations"


@dataclass(frozen=True, slots=True)
class _Registrant:
    id: str
    name: str
    address: str
    request_id: str


async def register(parts: Platform, wanted: Registration, address: str, request_id: str) -> None:
    """Make the account. Raises NotAllowed, TooMany, Invalid, Conflict, Unavailable."""
    refuse_closed(parts)
    password = wanted.password.get_secret_value()
    passwords.refuse_name_in(wanted.name, password, "password")
    most = parts.configuration.registration.most_waiting
    # What is too often is refused before it is computed, also where many come at once; each has its turn until it is
    # counted.
    async with passwords.turn_of(address):
        async with parts.sessions() as session, session.begin():
            repository = IdentityRepository(session)
            await refuse_more(repository, address, most)
            fresh = await fresh_at(repository, address)
        # Outside of a transaction: whoever waits for a turn must not keep a connection from the others.
        hashed = await passwords.hashed(password, known=False, fresh=fresh)
        async with parts.sessions() as session, session.begin():
            repository = IdentityRepository(session)
            # One after the other: of many at once no more get through than of many in a row.
            await repository.judge_alone()
            await refuse_more(repository, address, most)
            session.add_all(tries(address))
            taken = await repository.taken_names([wanted.name])
    # After the transaction, so that the try is counted.
    if taken:
        raise names.taken(wanted.name)
    # A uid is waited for, behind an import say, while others are judged.
    async with parts.sessions() as session, session.begin():
        await wait_briefly(session)
        user = await add_account(session, wanted.name, hashed, nickname=wanted.nickname, must_change_password=False)
        # Accounts have their uids one after the other, so that this one sees all before it.
        refuse_waiting(await IdentityRepository(session).count(waiting=True) - 1, most)
        await record_registration(session, user, address, request_id)


def refuse_closed(parts: Platform) -> None:
    """Raise NotAllowed where nobody makes an account for themselves."""
    if not parts.configuration.web.registration:
        raise NotAllowed(codes.RegistrationClosed())


def tries(address: str) -> list[SignInAttemptRow]:
    """What is counted of one try."""
    return [SignInAttemptRow(key=key) for key in (_of_address(address), _ALL)]


async def record_registration(
    session: AsyncSession, user: UserRow, address: str, request_id: str, **details: str
) -> None:
    """Keep who made an account for themselves, and with `details` how."""
    actor = _Registrant(user.id, user.name, address, request_id)
    await record(session, actor, "user.register", kind="user", identifier=user.id, name=user.name, details=details)


async def refuse_tries(repository: IdentityRepository, address: str) -> None:
    """Raise TooMany for too many tries."""
    for key, most in ((_of_address(address), MOST_OF_ADDRESS), (_ALL, MOST_IN_ALL)):
        if await repository.attempts(key, WINDOW) >= most:
            raise too_often()


async def refuse_more(repository: IdentityRepository, address: str, most_waiting: int) -> None:
    """Raise TooMany for too many tries, Conflict while as many accounts as may wait for their rights."""
    await refuse_tries(repository, address)
    refuse_waiting(await repository.count(waiting=True), most_waiting)


def refuse_waiting(waiting: int, most: int) -> None:
    """Raise Conflict where no more than those may wait for their rights."""
    if waiting >= most:
        raise Conflict(codes.TooManyWaiting(limit=most))


def _of_address(address: str) -> str:
    return f"registrations:{machine(address)}"
