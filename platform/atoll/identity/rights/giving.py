"""Nobody gives, takes or acts upon what they do not hold themselves: the one place where that is judged."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Actor, means_of
from atoll.identity.codes import (
    AccountInactive,
    MoreThanYouHold,
    NoSuchGroupField,
    NoSuchRoleField,
    NoSuchUserField,
    SessionNeeded,
)
from atoll.identity.models import GroupRow, RoleRow, UserRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.rights.repository import RightsRepository
from atoll.web import told
from atoll.web.errors import Invalid, NotAllowed, NotSignedIn
from atoll.web.schema import FieldError


class Giver(Actor, Protocol):
    """Who changes rights: a caller, or an operator on the command line, who lacks nothing."""

    def holds(self) -> Iterable[str]:
        """The names of the permissions with which they came, and of the kinds that they hold as such."""


class Giving:
    """Roles, groups and users as objects of a change, each judged and locked; lock roles first, then groups, users."""

    def __init__(self, session: AsyncSession, table: PermissionTable) -> None:
        self.table = table
        self._repository = RightsRepository(session)

    async def judge(self, giver: Giver, grants: Iterable[str] = ()) -> None:
        """Raise NotAllowed when `grants` come to more than the giver holds, NotSignedIn for a giver who may not be in.

        What they hold now counts: a request that waited, for a lock or a turn, outlives the rights with which it came,
        and the session or access token. So it is asked behind all waiting. By an access token they hold no more than
        its scope.
        """
        held = await self.held(giver)
        if held is None:
            return
        if lacking := sorted((self.names(grants) | {*giver.holds()}) - held):
            raise NotAllowed(MoreThanYouHold(permissions=", ".join(lacking)))

    async def refuse_gone(self, giver: Giver) -> None:
        """Raise NotSignedIn for a giver whose account, session or access token has ended, whatever they hold."""
        await self.held(giver)

    async def held(self, giver: Giver) -> frozenset[str] | None:
        """Of the names with which the giver came those of what they hold at this moment; None for all.

        Raises NotSignedIn.
        """
        if giver.id is None:
            return None
        shown: str | None = getattr(giver, "shown", None)
        found = await self._repository.standing_grants(giver.id, shown)
        if found is None:
            raise NotSignedIn(AccountInactive())
        standing, lives = found
        if not lives:
            raise NotSignedIn(told.NotSignedIn())
        names = {permission.name for permission in self.table.of(standing)} | self.table.lasting(standing)
        return frozenset(names & {*giver.holds()})

    def names(self, grants: Iterable[str]) -> frozenset[str]:
        """The names of the permissions that `grants` come to, and of the kinds among them.

        A kind is more than what it comes to now: whoever holds just that gives nobody what later versions add to it.
        """
        granted = [*grants]
        return frozenset(permission.name for permission in self.table.scope(granted)) | self.table.lasting(granted)

    async def judge_user(self, giver: Giver, user_id: str) -> None:
        """Raise NotAllowed when a user, who is locked, holds more than the giver."""
        self.refuse_own_by_token(giver, user_id)
        await self.judge(giver, await self._repository.grants_of(user_id) if giver.id != user_id else ())

    def refuse_own_by_token(self, giver: Giver, user_id: str) -> None:
        """Raise NotAllowed for an access token that acts upon the account of its owner."""
        if giver.id == user_id and means_of(giver) is not None:
            raise NotAllowed(SessionNeeded())

    async def roles(self, giver: Giver, role_ids: Collection[str]) -> Sequence[RoleRow]:
        """Roles to be given; they stay until the transaction ends. Raises Invalid, NotAllowed."""
        found = await self._repository.hold(RoleRow, role_ids)
        _all_there(role_ids, found, lambda each: NoSuchRoleField(role=each).at("roles"))
        await self.judge(giver, (grant for role in found for grant in role.grants))
        return found

    async def groups(self, giver: Giver, group_ids: Collection[str]) -> Sequence[GroupRow]:
        """Groups to put somebody into; they stay until the transaction ends. Raises Invalid, NotAllowed."""
        found = await self._repository.hold(GroupRow, group_ids)
        _all_there(group_ids, found, lambda each: NoSuchGroupField(group=each).at("groups"))
        await self.judge(giver, await self._repository.grants_of_groups(group_ids))
        return found

    async def lock_groups(self, giver: Giver, group_ids: Collection[str]) -> Sequence[GroupRow]:
        """Groups that are to have something else, locked. Raises Invalid, NotAllowed, NotSignedIn."""
        found = await self._repository.lock_groups(group_ids)
        await self.judge(giver)
        _all_there(group_ids, found, lambda each: NoSuchGroupField(group=each).at("groups"))
        return found

    async def lock_users(self, giver: Giver, user_ids: Collection[str]) -> Sequence[UserRow]:
        """Users who are to have something else, locked. Raises Invalid, NotAllowed, NotSignedIn."""
        for user_id in user_ids:
            self.refuse_own_by_token(giver, user_id)
        found = await self._repository.lock_users(user_ids)
        await self.judge(giver)
        _all_there(user_ids, found, lambda each: NoSuchUserField(user=each).at("users"))
        return found

    async def lock_loser(self, giver: Giver, user_id: str) -> Sequence[UserRow]:
        """A user who is to lose something, locked; nobody where there is none. Raises NotAllowed, NotSignedIn."""
        self.refuse_own_by_token(giver, user_id)
        found = await self._repository.lock_users([user_id])
        await self.judge(giver)
        return found


class _Identified(Protocol):
    @property
    def id(self) -> Any: ...


def _all_there(wanted: Collection[str], found: Iterable[_Identified], mistake: Callable[[str], FieldError]) -> None:
    """Raise Invalid with a mistake for each of `wanted` that was not found."""
    if missing := sorted(set(wanted) - {each.id for each in found}):
        raise Invalid(told.InvalidRequest(), errors=[mistake(each) for each in missing])
