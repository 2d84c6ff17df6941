"""Every query about who holds what: roles of users, groups, roles of groups.

Whoever changes it locks in this order, so that of two at once one waits and neither is ended: roles, groups, users,
each by id. A role or group that is given is held (`FOR KEY SHARE`): it is not deleted until the transaction ends. Users
are locked without their keys: an audit row names who does it, and of two who change each other each is locked.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    SQLColumnExpression,
    String,
    delete,
    func,
    literal,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, aggregate_order_by, insert
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.base import now
from atoll.database.many import one_of
from atoll.database.notifications import SESSIONS_ENDED
from atoll.identity.models import (
    AccessTokenRow,
    GroupMemberRow,
    GroupRoleRow,
    GroupRow,
    RoleRow,
    SessionRow,
    UserRoleRow,
    UserRow,
)

Listed = TypeVar("Listed", RoleRow, GroupRow)
Link = type[UserRoleRow] | type[GroupRoleRow] | type[GroupMemberRow]
Pairs = Mapping[str, list[dict[str, str]]]


def named(
    identifier: SQLColumnExpression[str], name: SQLColumnExpression[str], key: SQLColumnExpression[str]
) -> ColumnElement[Any]:
    """Many things as one value: `[{"id", "name"}, …]`, in the order of `key`."""
    one = func.jsonb_build_object(literal("id", String), identifier, literal("name", String), name)
    return func.coalesce(func.jsonb_agg(aggregate_order_by(one, key)), func.jsonb_build_array(), type_=JSONB)


def granted(user_id: SQLColumnExpression[str]) -> ColumnElement[list[str]]:
    """All that a user was granted, by own roles and by those of groups, as one value."""
    of_roles = select(func.unnest(RoleRow.grants)).where(RoleRow.id.in_(_roles_of(user_id))).correlate(UserRow)
    return func.array(of_roles.scalar_subquery(), type_=ARRAY(String))


def direct_roles(user_id: SQLColumnExpression[str]) -> ColumnElement[Any]:
    """The roles that were given to a user, as one value (`named`)."""
    query = select(named(RoleRow.id, RoleRow.name, RoleRow.name_key)).join(
        UserRoleRow, UserRoleRow.role_id == RoleRow.id
    )
    return query.where(UserRoleRow.user_id == user_id).correlate(UserRow).scalar_subquery()


def _roles_of(user_id: SQLColumnExpression[str]) -> CompoundSelect[str]:
    """The ids of all roles that a user holds."""
    direct = select(UserRoleRow.role_id).where(UserRoleRow.user_id == user_id).correlate(UserRow)
    of_groups = (
        select(GroupRoleRow.role_id)
        .join(GroupMemberRow, GroupMemberRow.group_id == GroupRoleRow.group_id)
        .where(GroupMemberRow.user_id == user_id)
        .correlate(UserRow)
    )
    return union_all(direct, of_groups)


def without_rights() -> ColumnElement[bool]:
    """Whether nobody gave a user a role or put them into a group yet."""
    role = select(UserRoleRow.user_id).where(UserRoleRow.user_id == UserRow.id).correlate(UserRow)
    group = select(GroupMemberRow.user_id).where(GroupMemberRow.user_id == UserRow.id).correlate(UserRow)
    return ~or_(role.exists(), group.exists())


class RightsRepository:
    """Roles, groups, and who has them."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def one(self, kind: type[Listed], identifier: str, *, lock: bool = False) -> Listed | None:
        """A role or group; with `lock` nobody else changes or gives it until the transaction ends."""
        return await self._session.get(kind, identifier, with_for_update=lock, populate_existing=lock)

    async def some(self, kind: type[Listed], identifiers: Collection[str]) -> Sequence[Listed]:
        """Those of them that there are."""
        return (await self._session.scalars(select(kind).where(kind.id.in_(identifiers)))).all()

    async def hold(self, kind: type[Listed], identifiers: Collection[str]) -> Sequence[Listed]:
        """Those of them that there are; none is deleted until the transaction ends."""
        query = select(kind).where(kind.id.in_(identifiers)).order_by(kind.id)
        held = query.with_for_update(read=True, key_share=True).execution_options(populate_existing=True)
        return (await self._session.scalars(held)).all()

    async def called(
        self, kind: type[Listed], name_keys: Collection[str], identifiers: Collection[str] = (), *, hold: bool
    ) -> Sequence[Listed]:
        """Those that have one of these names, or ids; with `hold` none is deleted until the transaction ends."""
        query = select(kind).where(or_(kind.name_key == one_of(name_keys), kind.id.in_(identifiers))).order_by(kind.id)
        if hold:
            query = query.with_for_update(read=True, key_share=True)
        return (await self._session.scalars(query.execution_options(populate_existing=True))).all()

    async def lock_groups(self, group_ids: Collection[str]) -> Sequence[GroupRow]:
        """Those of them that there are; nobody else changes or gives them until the transaction ends."""
        query = select(GroupRow).where(GroupRow.id.in_(group_ids)).order_by(GroupRow.id)
        locked = query.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(locked)).all()

    async def lock_users(self, user_ids: Collection[str]) -> Sequence[UserRow]:
        """Those of them that there are; nobody else changes them until the transaction ends."""
        query = select(UserRow).where(UserRow.id.in_(user_ids), UserRow.deleted_at.is_(None)).order_by(UserRow.id)
        locked = query.with_for_update(key_share=True).execution_options(populate_existing=True)
        return (await self._session.scalars(locked)).all()

    async def taken(self, kind: type[Listed], name_key: str) -> bool:
        """Whether a role or group has that name, however it is written."""
        return await self._session.scalar(select(kind.id).where(kind.name_key == name_key)) is not None

    async def page(self, kind: type[Listed], limit: int, after: str | None, words: str | None) -> Sequence[Listed]:
        """Roles or groups by name; only those with all `words` in name or description."""
        query = select(kind).order_by(kind.name_key).limit(limit)
        for word in (words or "").split():
            query = query.where(
                or_(kind.name.icontains(word, autoescape=True), kind.description.icontains(word, autoescape=True))
            )
        if after is not None:
            query = query.where(kind.name_key > after)
        return (await self._session.scalars(query)).all()

    async def count(self, kind: type[Listed]) -> int:
        """How many roles or groups there are."""
        return await self._session.scalar(select(func.count()).select_from(kind)) or 0

    async def counts(self, link: Link, by: str, identifiers: Collection[str]) -> dict[str, int]:
        """How many links each of `identifiers` has in its column `by`: users of roles, roles of groups, …"""
        column = getattr(link, by)
        query = select(column, func.count()).where(column.in_(identifiers)).group_by(column)
        return {row[0]: row[1] for row in await self._session.execute(query)}

    # Who holds what

    async def grants_of(self, user_id: str) -> list[str]:
        """All that a user was granted."""
        found: list[str] | None = await self._session.scalar(select(granted(literal(user_id))))
        return found or []

    async def standing_grants(self, user_id: str, shown: str | None) -> tuple[list[str], bool] | None:
        """The same as of this moment, whatever was read before, and whether the session or access token of the digest
        `shown` lives, if there is one; None for an account that is disabled or deleted.
        """
        lives = or_(
            literal(shown is None),
            *(
                select(kind.token_hash).where(kind.token_hash == shown, kind.expires_at > now()).exists()
                for kind in (SessionRow, AccessTokenRow)
            ),
        )
        query = select(granted(UserRow.id), lives)
        query = query.where(UserRow.id == user_id, UserRow.active, UserRow.deleted_at.is_(None))
        found = (await self._session.execute(query)).first()
        return None if found is None else (found[0], found[1])

    async def grants_of_groups(self, group_ids: Collection[str]) -> list[str]:
        """All that the roles of these groups grant."""
        query = (
            select(func.unnest(RoleRow.grants))
            .join(GroupRoleRow, GroupRoleRow.role_id == RoleRow.id)
            .where(GroupRoleRow.group_id.in_(group_ids))
        )
        return list((await self._session.scalars(query)).all())

    async def grants_of_each_group(self, group_ids: Collection[str]) -> dict[str, list[str]]:
        """All that the roles of each of these groups grant; one that has none is left out."""
        query = (
            select(GroupRoleRow.group_id, RoleRow.grants)
            .join(RoleRow, RoleRow.id == GroupRoleRow.role_id)
            .where(GroupRoleRow.group_id == one_of(group_ids))
        )
        found: dict[str, list[str]] = {}
        for group_id, grants in await self._session.execute(query):
            found.setdefault(group_id, []).extend(grants)
        return found

    async def roles_of_users(self, user_ids: Collection[str]) -> Pairs:
        """The roles that were given to each of these users."""
        return await self._linked(UserRoleRow.user_id, UserRoleRow.role_id, RoleRow, user_ids)

    async def groups_of_users(self, user_ids: Collection[str]) -> Pairs:
        """The groups in which each of these users is."""
        return await self._linked(GroupMemberRow.user_id, GroupMemberRow.group_id, GroupRow, user_ids)

    async def roles_of_groups(self, group_ids: Collection[str]) -> Pairs:
        """The roles of each of these groups."""
        return await self._linked(GroupRoleRow.group_id, GroupRoleRow.role_id, RoleRow, group_ids)

    async def _linked(self, whose: Any, what: Any, kind: type[Listed], identifiers: Collection[str]) -> Pairs:
        query = (
            select(whose, kind.id, kind.name)
            .join(kind, kind.id == what)
            .where(whose.in_(identifiers))
            .order_by(kind.name_key)
        )
        found: dict[str, list[dict[str, str]]] = {}
        for owner, identifier, name in await self._session.execute(query):
            found.setdefault(owner, []).append({"id": identifier, "name": name})
        return found

    async def users_by(
        self, link: type[UserRoleRow] | type[GroupMemberRow], by: str, identifier: str, limit: int, after: str | None
    ) -> Sequence[UserRow]:
        """The users that are linked by `link` to a role or group, by name."""
        query = select(UserRow).join(link, link.user_id == UserRow.id).where(getattr(link, by) == identifier)
        if after is not None:
            query = query.where(UserRow.name > after)
        return (await self._session.scalars(query.order_by(UserRow.name).limit(limit))).all()

    async def groups_with(self, role_id: str, limit: int, after: str | None) -> Sequence[GroupRow]:
        """The groups that have a role, by name."""
        query = select(GroupRow).join(GroupRoleRow, GroupRoleRow.group_id == GroupRow.id)
        query = query.where(GroupRoleRow.role_id == role_id)
        if after is not None:
            query = query.where(GroupRow.name_key > after)
        return (await self._session.scalars(query.order_by(GroupRow.name_key).limit(limit))).all()

    # Giving and taking

    async def link(self, link: Link, rows: Iterable[Mapping[str, str]]) -> Sequence[Mapping[str, str]]:
        """Add what is not there yet; what was added."""
        added = insert(link).values(list(rows)).on_conflict_do_nothing().returning(*link.__table__.columns)
        return [dict(row) for row in (await self._session.execute(added)).mappings()]

    async def link_new(self, link: Link, rows: Sequence[Mapping[str, str]]) -> None:
        """Add many links of users who were just made, so that none of them is there."""
        if rows:
            await self._session.execute(insert(link), rows)

    async def unlink(self, link: Link, **of: Collection[str]) -> Sequence[Mapping[str, str]]:
        """Remove the links of which each named column has one of these values; what was removed."""
        columns = link.__table__.columns
        removed = delete(link).where(*(columns[name].in_(values) for name, values in of.items()))
        return [dict(row) for row in (await self._session.execute(removed.returning(*columns))).mappings()]

    async def touch(self, kind: type[UserRow] | type[GroupRow], identifiers: Collection[str]) -> None:
        """They are others than who read them has read: their links were changed. They are locked already."""
        if identifiers:
            touched = update(kind).where(kind.id.in_(identifiers)).values(version=kind.version + 1)
            await self._session.execute(touched.execution_options(synchronize_session="fetch"))

    # Who is told

    async def tell_users(self, user_ids: Collection[str]) -> None:
        """What flows for these users is looked at again once this is committed."""
        await self._tell(select(UserRow.id).where(UserRow.id.in_(user_ids)))

    async def tell_holders(self, role_id: str) -> None:
        """The same for all that hold a role at this moment, by groups, too."""
        direct = select(UserRoleRow.user_id).where(UserRoleRow.role_id == role_id)
        of_groups = (
            select(GroupMemberRow.user_id)
            .join(GroupRoleRow, GroupRoleRow.group_id == GroupMemberRow.group_id)
            .where(GroupRoleRow.role_id == role_id)
        )
        await self._tell(select(UserRow.id).where(UserRow.id.in_(union_all(direct, of_groups))))

    async def tell_members(self, group_ids: Collection[str]) -> None:
        """The same for all that are in these groups at this moment."""
        await self._tell(select(GroupMemberRow.user_id).where(GroupMemberRow.group_id.in_(group_ids)).distinct())

    async def _tell(self, concerned: Select[str]) -> None:
        users = concerned.subquery()
        await self._session.execute(select(func.count(func.pg_notify(SESSIONS_ENDED, users.c[0]))))
