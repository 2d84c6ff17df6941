"""People make accounts for themselves: these may do nothing until an administrator gives them a role."""

from dataclasses import dataclass

from atoll.audit_trail.record import record
from atoll.identity import codes, names, passwords
from atoll.identity.accounts import add_account
from atoll.identity.models import SignInAttemptRow
from atoll.identity.repository import IdentityRepository
from atoll.identity.schemas import Registration
from atoll.identity.service import WINDOW, fresh_at, too_often
from atoll.web.errors import ApiError, Conflict, NotAllowed
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
    if not parts.configuration.web.registration:
        raise NotAllowed(codes.RegistrationClosed())
    password = wanted.password.get_secret_value()
    passwords.refuse_name_in(wanted.name, password, "password")
    most = parts.configuration.registration.most_waiting
    refused: ApiError | None = None
    # What is too often is refused before it is computed, also where many come at once; each has its turn until it is
    # counted.
    async with passwords.turn_of(address):
        async with parts.sessions() as session, session.begin():
            repository = IdentityRepository(session)
            await _refuse(repository, address, most)
            fresh = await fresh_at(repository, address)
        # Outside of a transaction: whoever waits for a turn must not keep a connection from the others.
        hashed = await passwords.hashed(password, known=False, fresh=fresh)
        async with parts.sessions() as session, session.begin():
            repository = IdentityRepository(session)
            # One after the other: of many at once no more get through than of many in a row.
            await repository.judge_alone()
            await _refuse(repository, address, most)
            session.add_all(SignInAttemptRow(key=key) for key in (_of_address(address), _ALL))
            if await repository.taken_names([wanted.name]):
                refused = names.taken(wanted.name)
            else:
                user = await add_account(
                    session, wanted.name, hashed, nickname=wanted.nickname, must_change_password=False
                )
                actor = _Registrant(user.id, user.name, address, request_id)
                await record(session, actor, "user.register", kind="user", identifier=user.id, name=user.name)
    # After the transaction, so that the try is counted.
    if refused is not None:
        raise refused


async def _refuse(repository: IdentityRepository, address: str, most_waiting: int) -> None:
    """Raise TooMany for too many tries, Conflict while as many accounts as may wait for their rights."""
    for key, most in ((_of_address(address), MOST_OF_ADDRESS), (_ALL, MOST_IN_ALL)):
        if await repository.attempts(key, WINDOW) >= most:
            raise too_often()
    if await repository.count(waiting=True) >= most_waiting:
        raise Conflict(codes.TooManyWaiting(limit=most_waiting))


def _of_address(address: str) -> str:
    return f"registrations:{machine(address)}"
