"""Which ways lead into an account: shown, linked, ended. By the account's owner, or by who may manage it."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Actor, record
from atoll.identity.access_tokens.repository import AccessTokenRepository
from atoll.identity.accounts import ADMIN, refuse_protected
from atoll.identity.caller import Caller
from atoll.identity.fresh import MINUTES, fresh
from atoll.identity.models import UserRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giving
from atoll.providers import WayName
from atoll.ways_in import codes
from atoll.ways_in.models import LinkRow, linked
from atoll.ways_in.provider import Known, Provider
from atoll.ways_in.repository import WaysRepository
from atoll.ways_in.schemas import LinkedWay, Proofs, WaysOfUser
from atoll.ways_in.ways import BRANDS, Ways
from atoll.web import told
from atoll.web.errors import Conflict, NotFound, NotSignedIn
from atoll.web.platform import Platform


class Links:
    """What accounts are linked with."""

    def __init__(self, session: AsyncSession, parts: Platform) -> None:
        ways = parts.find(Ways)
        self._session = session
        self._providers = {provider.way: provider for provider in ways.all()} if ways else {}
        self._giving = Giving(session, parts.part(PermissionTable))
        self._identity = IdentityRepository(session)
        self._tokens = AccessTokenRepository(session)
        self._repository = WaysRepository(session)

    async def of(self, user_id: str) -> WaysOfUser:
        """How somebody signs in: the ways that there are, and those that are linked. Raises NotFound."""
        user = await self._user(user_id, verifying=True)
        # Of an issuer that is asked no more: as if it were not there.
        rows = {row.way: row for row in await self._repository.links_of(user.id) if self._asked(row, otherwise=True)}
        ways = [
            LinkedWay(
                way=way,
                offered=way in self._providers,
                label=row.label if row else None,
                linked_at=row.created_at if row else None,
                used_at=row.used_at if row else None,
            )
            for way in WayName
            if (row := rows.get(way)) is not None or way in self._providers
        ]
        return WaysOfUser(password=bool(user.password_hash), linkable=user.name != ADMIN, ways=ways)

    async def proofs(self, caller: Caller, hashed_token: str) -> Proofs:
        """By what the caller, who shows that session, proves who they are."""
        user = await self._user(caller.id, verifying=True)
        rows = await self._repository.links_of(user.id)
        ways = [WayName(row.way) for row in rows if self._asked(row) and self._providers[WayName(row.way)].proves]
        return Proofs(
            fresh=await fresh(self._identity, hashed_token),
            links=await fresh(self._identity, hashed_token, elsewhere=True),
            minutes=MINUTES,
            password=bool(user.password_hash),
            ways=sorted(ways),
        )

    async def refuse_unlinked(self, caller: Caller, way: WayName) -> None:
        """Raise NotFound where the caller's account is not linked with an account there."""
        if not any(row.way == way and self._asked(row) for row in await self._repository.links_of(caller.id)):
            raise NotFound(codes.NothingLinked(provider=BRANDS[way]))

    async def refuse(self, caller: Caller, way: WayName) -> None:
        """Raise Conflict where the caller's account cannot be linked: it is protected, or has such a link."""
        refuse_protected(await self._user(caller.id))
        if any(row.way == way and self._asked(row) for row in await self._repository.links_of(caller.id)):
            raise Conflict(codes.AlreadyLinked(provider=BRANDS[way]))

    async def link(self, caller: Caller, provider: Provider, known: Known) -> None:
        """Link the caller's own account. Raises Conflict for what is another's, or where something is linked already.

        What is linked with a deleted account becomes the caller's: whoever had that one is here, and has it no more.
        """
        # One after the other, as accounts are made: of two who link the same, the second one sees the first.
        await self._identity.judge_alone()
        user = await self._identity.user(caller.id, lock=True)
        if user is None or not user.active:
            raise NotSignedIn(told.NotSignedIn())
        await self._giving.refuse_gone(caller)  # the provider was waited for, and others
        refuse_protected(user)
        found = await self._repository.link(known.issuer, known.subjects)
        if found is not None and found[0].user_id != caller.id:
            if found[1].deleted_at is None:
                raise Conflict(codes.LinkedElsewhere(provider=provider.brand))
            await self._session.delete(found[0])
        for row in await self._repository.links_of(caller.id):
            if row.way == provider.way:
                if row.issuer == known.issuer:
                    raise Conflict(codes.AlreadyLinked(provider=provider.brand))
                await self._session.delete(row)  # of an issuer that nobody asks any more
        await self._session.flush()
        self._session.add(linked(caller.id, provider.way, known.issuer, known.subjects[0], known.label))
        await self._record(caller, "user.link", user, provider.way)

    async def unlink(self, actor: Caller, user_id: str, way: WayName) -> None:
        """End a link, with sessions that came by it and access tokens that were made in these.

        Raises NotFound, Conflict for the caller's only way in, NotAllowed for who holds more than they. Whoever manages
        users may end the only way, too: it may be open to somebody else.
        """
        user = await self._user(user_id, lock=True, verifying=True)
        await self._giving.judge_user(actor, user.id)
        rows = await self._repository.links_of(user.id)
        if not any(row.way == way for row in rows):
            raise NotFound(codes.NothingLinked(provider=BRANDS[way]))
        others = any(row.way != way and self._asked(row) for row in rows)
        if user.id == actor.id and not user.password_hash and not others:
            raise Conflict(codes.OnlyWay(provider=BRANDS[way]))
        await self._repository.unlink(user.id, way)
        # Whoever came by it has nothing left: neither the session nor what they made in it. Who ends their own stays.
        shown = actor.shown if user.id == actor.id else None
        ended = {
            "sessions": await self._identity.end_sessions_of(user.id, but=shown, ways=[way]),
            "access_tokens": await self._tokens.end_all_of(user.id, ways=[way]),
        }
        await self._record(actor, "user.unlink", user, way, **{what: count for what, count in ended.items() if count})

    def _asked(self, row: LinkRow, *, otherwise: bool = False) -> bool:
        """Whether the issuer of a link is asked here; `otherwise` is said of a way that is not offered at all."""
        provider = self._providers.get(WayName(row.way))
        return otherwise if provider is None else provider.issuer == row.issuer

    async def _user(self, user_id: str, *, lock: bool = False, verifying: bool = False) -> UserRow:
        user = await self._identity.user(user_id, lock=lock, verifying=verifying)
        if user is None or user.deleted_at is not None:
            raise NotFound(told.NotFound())
        return user

    async def _record(self, actor: Actor, action: str, user: UserRow, way: str, **more: int) -> None:
        details = {"way": str(way), **more}
        await record(self._session, actor, action, kind="user", identifier=user.id, name=user.name, details=details)


async def end_links(session: AsyncSession, user_id: str) -> list[str]:
    """End all links of an account, and name their ways; whoever asks ends the sessions."""
    return await WaysRepository(session).unlink(user_id)


async def forget_labels(session: AsyncSession, user_id: str) -> None:
    """Of a deleted account nothing says any more who its user was; the links themselves stay and shut them out."""
    await WaysRepository(session).forget_labels(user_id)
