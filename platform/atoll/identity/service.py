"""Rules of sign-in, sessions and passwords."""

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record, record_sign_in
from atoll.database.base import now
from atoll.identity import codes, passwords
from atoll.identity.access_tokens.repository import AccessTokenRepository
from atoll.identity.agents import device_of
from atoll.identity.caller import ByToken, Caller
from atoll.identity.models import SessionRow, SignInAttemptRow, UserRow
from atoll.identity.other_ways import OtherWays
from atoll.identity.permissions import PermissionTable
from atoll.identity.repository import IdentityRepository, Standing
from atoll.identity.rights.giving import Giving
from atoll.identity.rights.memberships import Memberships
from atoll.identity.schemas import (
    DeviceTypeName,
    RoleReference,
    Session,
    User,
    UserReference,
    VirtualClusterReference,
)
from atoll.identity.tokens import new_token, token_hash
from atoll.web import told
from atoll.web.errors import Conflict, Invalid, NotSignedIn, TooMany
from atoll.web.platform import Platform
from atoll.web.turns import machine

WINDOW = timedelta(minutes=15)
# Per name and address: guessing one account. Per address: guessing many. Per name: guessing from many addresses, high
# enough that nobody locks a colleague out by mistyping the name. Per device that the user signed in with before: it is
# counted alone, so that nobody else's guesses lock it out; one that guesses too often is a stranger again. Per session
# in which somebody changes the password: alone, too.
_LIMITS = {"pair": 5, "address": 30, "name": 60, "device": 5, "session": 5}
# Who guesses a name from many addresses does not lock its user out of an address at which nothing failed of late: each
# has a try, until these are many, too.
MOST_WITH_FRESH = 300
# Those that succeed cost as much. They are counted per name, too, since only who knows the password can use these up.
MOST_SIGN_INS = 240
SEEN_EVERY = timedelta(minutes=1)  # that a session was seen is written no more often
DEVICE_KNOWN = timedelta(days=180)
DEVICES_PER_USER = 20


class IdentityService:
    """Who people are."""

    def __init__(self, session: AsyncSession, parts: Platform) -> None:
        self._session = session
        self._permissions = parts.part(PermissionTable)
        self._memberships = parts.part(Memberships)
        self._repository = IdentityRepository(session)
        self._configuration = parts.configuration

    async def caller(self, hashed_token: str, address: str, request_id: str) -> Caller | None:
        """Whoever holds the session of that token, with what they may do now; None when there is no such session."""
        found = await self._repository.live_session(hashed_token)
        if found is None:
            return None
        user, grants, seen_at = found
        since = now() - SEEN_EVERY
        if seen_at <= since:
            await self._repository.seen(hashed_token, address, since)
        return caller_of(user, grants, self._permissions, address, request_id, hashed_token)

    @staticmethod
    async def sign_in(
        parts: Platform,
        name: str,
        password: str,
        *,
        address: str,
        request_id: str,
        replaces: str | None,
        device: str | None,
        agent: str,
    ) -> tuple[str, str, Session]:
        """A token, the device's new token, and the session; `device` is the hash of its token of before.

        `agent`: what the browser or program says it is.

        Raises NotSignedIn, TooMany, Unavailable; takes as long whether the user exists or not.
        """
        name = name.strip().lower()
        sessions = parts.sessions
        async with sessions() as session, session.begin():
            repository = IdentityRepository(session)
            keys = await keys_of(repository, name, address, device)
            await refuse_guessing(repository, keys)
            await refuse_too_many(repository, name)
            user = await repository.user_by_name(name, verifying=True)
            # Whoever registers may have as many devices as they like, and is a stranger until given rights.
            known = "device" in keys and user is not None and await repository.has_rights(user.id)
        async with passwords.turn_of_known(name) if known else passwords.turn_of(address):
            kept = (user.password_hash or None) if user is not None and user.active else None
            async with sessions() as session:
                # Whose line it is: of many guesses at once only the first are of an address where nothing failed.
                fresh = known or await fresh_at(IdentityRepository(session), address)
            fit, newer = await passwords.fits(password, kept, known=known, fresh=fresh)
            # It has its turn until that is counted, so that the next one at this address sees it.
            async with sessions() as session, session.begin():
                repository = IdentityRepository(session)
                # Again, and one after the other: of many guesses at once none is told more than of guesses in a row.
                await repository.judge_alone()
                keys = await keys_of(repository, name, address, device)
                await refuse_guessing(repository, keys)
                if user is None or not fit:
                    session.add_all(failures_of(keys, name, address))
                    await record_sign_in(
                        session,
                        user_id=None,
                        # What is nobody's name may be the password, typed into the wrong field.
                        name="" if user is None else user.name,
                        outcome="failed",
                        address=address,
                        request_id=request_id,
                    )
                else:
                    verified = user.password_hash
                    user = await repository.user(user.id, lock=True, verifying=True)
                    if user is None or not user.active:
                        raise NotSignedIn(codes.AccountInactive())
                    if user.password_hash != verified:
                        raise NotSignedIn(codes.WrongCredentials())  # it was changed while this one was looked at
                    if newer is not None:
                        user.password_hash = newer
                    for key in {keys.get("device", ""), _pair(name, address)} - {""}:
                        await repository.forgive(key)
                    return await IdentityService(session, parts).begin(
                        user,
                        address=address,
                        request_id=request_id,
                        replaces=replaces,
                        device=device,
                        agent=agent,
                        proven=True,
                    )
        # After the transaction, so that the failure is counted.
        raise NotSignedIn(codes.WrongCredentials())

    async def begin(
        self,
        user: UserRow,
        *,
        address: str,
        request_id: str,
        replaces: str | None,
        device: str | None,
        agent: str,
        way: str = "",
        proven: bool,
    ) -> tuple[str, str, Session]:
        """A session of an active user, whom somebody names; what it gives, `sign_in` says.

        `way`: how, if not by the password. `proven`: whether it is sure that the user sits there now.
        """
        session, repository, name = self._session, self._repository, user.name
        session.add(SignInAttemptRow(key=_succeeded(name)))
        shown = new_token()
        await repository.know_device(user.id, token_hash(shown), device, now() + DEVICE_KNOWN, DEVICES_PER_USER)
        if replaces is not None:
            await repository.end_session(replaces)
        await repository.forget_ended(now(), now() - WINDOW)
        await AccessTokenRepository(session).forget_ended()
        await record_sign_in(
            session,
            user_id=user.id,
            name=name,
            outcome="done",
            address=address,
            request_id=request_id,
            details={"way": way} if way else {},
        )
        token, opened = await self._open(user, address, agent, way, proven=proven)
        return token, shown, opened

    async def session(self, hashed_token: str) -> Session:
        """The present session."""
        found = await self._repository.session_in_full(hashed_token, self._memberships)
        if found is None:
            raise NotSignedIn(told.NotSignedIn())
        row, standing = found
        return self._described(standing, row.expires_at)

    async def session_by_token(self, caller: Caller, token: ByToken) -> Session:
        """What a session would show, of who asks by an access token: with what that opens."""
        standing = await self._repository.standing(caller.id, self._memberships)
        shown = self._described(standing, token.expires_at)
        return shown.model_copy(update={"permissions": sorted(map(str, caller.permissions))})

    async def sign_out(self, caller: Caller, hashed_token: str) -> None:
        """End the session."""
        await self._repository.end_session(hashed_token)
        await record(self._session, caller, "session.delete", kind="session", identifier="", name=caller.name)

    @staticmethod
    async def change_password(
        parts: Platform,
        caller: Caller,
        current: str,
        new: str,
        hashed_token: str,
        device: str | None,
        agent: str,
        *,
        end_access_tokens: bool,
        end_links: bool = False,
    ) -> tuple[str, Session]:
        """Change the own password: all sessions end, and a new one begins; access tokens end where it is wanted.

        `end_links`: other ways into the account end, too, with the access tokens of sessions that came by them.

        Raises Invalid, TooMany, Unavailable, Conflict where there is none to be changed.
        """
        sessions = parts.sessions
        # Who shows a session may not be kept from this by what others guess.
        of_session = {"session": f"session:{hashed_token}"}
        async with sessions() as session, session.begin():
            repository = IdentityRepository(session)
            await refuse_guessing(repository, of_session)
            fresh = await fresh_at(repository, caller.address)
            user = await repository.user(caller.id, verifying=True)
        if user is None:
            raise NotSignedIn(told.NotSignedIn())
        if not user.password_hash:
            raise Conflict(codes.NoPassword())
        # Outside of a transaction: whoever waits for a turn must not keep a connection from the others.
        known = bool(caller.permissions)
        async with passwords.turn_of_known(caller.name) if known else passwords.turn_of(caller.address):
            fit, _ = await passwords.fits(current, user.password_hash, known=known, fresh=fresh)
            if fit:
                _refuse_new(user, current, new)
            hashed = await passwords.hashed(new, known=known, fresh=fresh) if fit else ""
        async with sessions() as session, session.begin():
            repository = IdentityRepository(session)
            await repository.judge_alone()
            await refuse_guessing(repository, of_session)
            present = await repository.user(caller.id, lock=True, verifying=True)
            if present is None or not present.active:
                raise NotSignedIn(told.NotSignedIn())
            await Giving(session, parts.part(PermissionTable)).refuse_gone(caller)
            if fit and present.password_hash == user.password_hash:
                present.password_hash = hashed
                present.must_change_password = False
                await repository.end_sessions_of(present.id)
                tokens = AccessTokenRepository(session)
                details: dict[str, object] = {}
                ways = await parts.part(OtherWays).end_all_of(session, present.id) if end_links else None
                if ways is not None:
                    details["ways"] = ways
                if end_access_tokens or ways:
                    of = None if end_access_tokens else ways
                    details["access_tokens"] = await tokens.end_all_of(present.id, ways=of)
                await record(
                    session,
                    caller,
                    "user.change_password",
                    kind="user",
                    identifier=present.id,
                    name=present.name,
                    details=details,
                )
                return await IdentityService(session, parts)._open(present, caller.address, agent)
            keys = await keys_of(repository, caller.name, caller.address, device)
            session.add_all(failures_of(of_session | keys, caller.name, caller.address))
        # After the transaction, so that the failure is counted.
        raise Invalid(codes.WrongPassword(), errors=[codes.WrongPasswordField().at("current_password")])

    async def _open(
        self, user: UserRow, address: str, agent: str, way: str = "", *, proven: bool = True
    ) -> tuple[str, Session]:
        token = new_token()
        row = SessionRow(
            token_hash=token_hash(token),
            user_id=user.id,
            expires_at=now() + timedelta(hours=self._configuration.web.session_hours),
            device=device_of(agent),
            address=address,
            way=way,
            proven_at=now() if proven else None,
        )
        self._session.add(row)
        await self._session.flush()
        return token, self._described(await self._repository.standing(user.id, self._memberships), row.expires_at)

    def _described(self, standing: Standing, expires_at: datetime) -> Session:
        user = standing.user
        held = () if user.must_change_password else self._permissions.of(standing.grants)
        return Session(
            user=described(user, [RoleReference.model_validate(role) for role in standing.roles]),
            permissions=sorted(map(str, held)),
            virtual_clusters=[VirtualClusterReference.model_validate(each) for each in standing.virtual_clusters],
            device_types=[
                DeviceTypeName(type=row.type, title=row.title, card=row.card, arch=row.arch)
                for row in self._configuration.devices
            ],
            must_change_password=user.must_change_password,
            expires_at=expires_at,
        )


def described(user: UserRow, roles: list[RoleReference]) -> User:
    """A user, read with how to reach them, as the API shows them."""
    return User(
        **UserReference.model_validate(user).model_dump(),
        uid=user.uid,
        phone=user.phone,
        email=user.email,
        roles=roles,
        active=user.active,
        created_at=user.created_at,
    )


def caller_of(
    user: UserRow,
    grants: Collection[str],
    permissions: PermissionTable,
    address: str,
    request_id: str,
    shown: str | None = None,
) -> Caller:
    """A user, to whom `grants` were granted, as the one who asks; `shown`: by the session of that digest."""
    return Caller(
        id=user.id,
        name=user.name,
        nickname=user.nickname,
        uid=user.uid,
        permissions=permissions.of(grants),
        kinds=permissions.lasting(grants),
        must_change_password=user.must_change_password,
        address=address,
        request_id=request_id,
        shown=shown,
    )


async def keys_of(repository: IdentityRepository, name: str, address: str, device: str | None) -> dict[str, str]:
    """Under what the failures of a name and an address are counted, per limit; of a known device, by itself."""
    if device is not None and (known := await repository.known_device(device, name)) is not None:
        key = f"device:{known}"
        if await repository.attempts(key, WINDOW) < _LIMITS["device"]:
            return {"device": key}
    return {"pair": _pair(name, address), "address": of_address(address), "name": f"name:{name}"}


def failures_of(keys: dict[str, str], name: str, address: str) -> list[SignInAttemptRow]:
    """One failure per key, and one of the pair: a known device that used its guesses up has no five more without."""
    return [SignInAttemptRow(key=key) for key in {*keys.values(), _pair(name, address)}]


def of_address(address: str) -> str:
    """Under what the failures of an address are counted, whoever signs in there and how."""
    return f"address:{machine(address)}"


def _pair(name: str, address: str) -> str:
    return f"pair:{name}@{machine(address)}"


async def fresh_at(repository: IdentityRepository, address: str) -> bool:
    """Whether it is an address at which nothing failed of late."""
    return await repository.attempts(of_address(address), WINDOW) == 0


async def refuse_guessing(repository: IdentityRepository, keys: dict[str, str]) -> None:
    """Raise TooMany when passwords were wrong too often."""
    failed = {kind: await repository.attempts(key, WINDOW) for kind, key in keys.items()}
    limits = _LIMITS | {"name": MOST_WITH_FRESH} if failed.get("address") == 0 else _LIMITS
    if any(count >= limits[kind] for kind, count in failed.items()):
        raise too_often()


async def refuse_too_many(repository: IdentityRepository, name: str) -> None:
    """Raise TooMany for a name that was signed in too often, in the words of wrong guesses: it does not say which."""
    if await repository.attempts(_succeeded(name), WINDOW) >= MOST_SIGN_INS:
        raise too_often()


def too_often() -> TooMany:
    """What is told of too many attempts."""
    seconds = int(WINDOW.total_seconds())
    return TooMany(codes.TooManyAttempts(minutes=seconds // 60), headers={"Retry-After": str(seconds)})


def _succeeded(name: str) -> str:
    return f"succeeded:{name}"


def _refuse_new(user: UserRow, current: str, new: str) -> None:
    """Raise Invalid for a new password that is none, or too easily guessed."""
    if secrets.compare_digest(current.encode(), new.encode()):
        raise Invalid(codes.SamePassword(), errors=[codes.SamePasswordField().at("new_password")])
    passwords.refuse_name_in(user.name, new, "new_password")
