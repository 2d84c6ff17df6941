"""Nobody gives, takes or acts upon what they do not hold themselves: the one place where that is judged."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Actor, means_of
from atoll.identity.codes import MoreThanYouHold, NoSuchGroupField, NoSuchRoleField, NoSuchUserField, SessionNeeded
from atoll.identity.models import GroupRow, RoleRow, UserRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.rights.repository import RightsRepository
from atoll.web.domain import Permission
from atoll.web.errors import Invalid, NotAllowed
from atoll.web.schema import FieldError
from atoll.web.told import InvalidRequest


class Giver(Actor, Protocol):
    """Who changes rights: a caller, or an operator on the command line, who lacks nothing."""

    def lacks(self, permissions: Iterable[Permission]) -> list[str]:
        """The names of those permissions that they do not hold, in order."""


class Giving:
    """Roles, groups and users as objects of a change, each judged and locked; lock roles first, then groups, users."""

    def __init__(self, session: AsyncSession, table: PermissionTable) -> None:
        self.table = table
        self._repository = RightsRepository(session)

    def judge(self, giver: Giver, grants: Iterable[str]) -> None:
        """Raise NotAllowed when `grants` come to more than the giver holds."""
        if lacking := giver.lacks(self.table.of(grants)):
            raise NotAllowed(MoreThanYouHold(permissions=", ".join(lacking)))

    async def judge_user(self, giver: Giver, user_id: str) -> None:
        """Raise NotAllowed when a user, who is locked, holds more than the giver."""
        self.refuse_own_by_token(giver, user_id)
        if giver.id != user_id:
            self.judge(giver, await self._repository.grants_of(user_id))

    def refuse_own_by_token(self, giver: Giver, user_id: str) -> None:
        """Raise NotAllowed for an access token that acts upon the account of its owner."""
        if giver.id == user_id and means_of(giver) is not None:
            raise NotAllowed(SessionNeeded())

    async def roles(self, giver: Giver, role_ids: Collection[str]) -> Sequence[RoleRow]:
        """Roles to be given; they stay until the transaction ends. Raises Invalid, NotAllowed."""
        found = await self._repository.hold(RoleRow, role_ids)
        _all_there(role_ids, found, lambda each: NoSuchRoleField(role=each).at("roles"))
        self.judge(giver, (grant for role in found for grant in role.grants))
        return found

    async def groups(self, giver: Giver, group_ids: Collection[str]) -> Sequence[GroupRow]:
        """Groups to put somebody into; they stay until the transaction ends. Raises Invalid, NotAllowed."""
        found = await self._repository.hold(GroupRow, group_ids)
        _all_there(group_ids, found, lambda each: NoSuchGroupField(group=each).at("groups"))
        self.judge(giver, await self._repository.grants_of_groups(group_ids))
        return found

    async def lock_groups(self, group_ids: Collection[str]) -> Sequence[GroupRow]:
        """Groups that are to have something else, locked. Raises Invalid."""
        found = await self._repository.lock_groups(group_ids)
        _all_there(group_ids, found, lambda each: NoSuchGroupField(group=each).at("groups"))
        return found

    async def lock_users(self, user_ids: Collection[str]) -> Sequence[UserRow]:
        """Users who are to have something else, locked. Raises Invalid."""
        found = await self._repository.lock_users(user_ids)
        _all_there(user_ids, found, lambda each: NoSuchUserField(user=each).at("users"))
        return found


class _Identified(Protocol):
    @property
    def id(self) -> Any: ...


def _all_there(wanted: Collection[str], found: Iterable[_Identified], mistake: Callable[[str], FieldError]) -> None:
    """Raise Invalid with a mistake for each of `wanted` that was not found."""
    if missing := sorted(set(wanted) - {each.id for each in found}):
        raise Invalid(InvalidRequest(), errors=[mistake(each) for each in missing])
