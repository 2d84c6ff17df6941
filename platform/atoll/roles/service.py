"""Rules of roles."""

import builtins
from collections.abc import Collection, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.bounds import MOST_NAMED, named
from atoll.audit_trail.record import record
from atoll.identity import names
from atoll.identity.accounts import refuse_protected
from atoll.identity.codes import NoSuchGrantField
from atoll.identity.models import GroupRoleRow, GroupRow, RoleRow, UserRoleRow, UserRow
from atoll.identity.permissions import PermissionKind, PermissionTable
from atoll.identity.rights.giving import Giver, Giving
from atoll.identity.rights.repository import RightsRepository
from atoll.identity.rights.schemas import GrantedKind, GrantedPermission, Permissions
from atoll.identity.schemas import GroupReference, UserReference
from atoll.roles.codes import NoSuchRole, PresetRole
from atoll.roles.schemas import Role, RoleCreate, RoleUpdate
from atoll.web import told
from atoll.web.conditional import expect
from atoll.web.errors import Conflict, Invalid, NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class RoleService:
    """Roles; the routes let only holders of roles:read and roles:manage in."""

    def __init__(self, session: AsyncSession, table: PermissionTable) -> None:
        self._session = session
        self._table = table
        self._giving = Giving(session, table)
        self._repository = RightsRepository(session)

    def permissions(self) -> Permissions:
        """What can be granted."""
        of_kinds = {kind: self._table.of([kind]) for kind in PermissionKind}
        return Permissions(
            kinds=[GrantedKind(name=kind, permissions=sorted(map(str, held))) for kind, held in of_kinds.items()],
            permissions=[
                GrantedPermission(name=each.name, kinds=[kind for kind, held in of_kinds.items() if each in held])
                for each in self._table.permissions
            ],
        )

    async def list(self, limit: int, cursor: str | None, words: str | None = None) -> Page[Role]:
        """Roles by name."""
        found = await self._repository.page(RoleRow, limit + 1, decode(cursor), words)
        rows, following = cut(found, limit, lambda row: row.name_key)
        return Page(items=await self._described(rows), next_cursor=following)

    async def read(self, role_id: str) -> Role:
        """One role. Raises NotFound."""
        return await self._one(await self._row(role_id))

    async def create(self, giver: Giver, body: RoleCreate) -> Role:
        """A new role. Raises Invalid, NotAllowed for more than the giver holds, Conflict for a name that is taken."""
        grants = self._grants(body.grants)
        await self._giving.judge(giver, grants)
        name_key = names.key(body.name)
        if await self._repository.taken(RoleRow, name_key):
            raise names.taken(body.name)
        row = RoleRow(name=body.name, name_key=name_key, description=body.description, grants=grants)
        self._session.add(row)
        await names.flush(self._session, body.name)
        await self._record(giver, "role.create", row, grants=grants)
        return await self._one(row)

    async def update(self, giver: Giver, role_id: str, body: RoleUpdate, if_match: str | None) -> Role:
        """Other words or grants; who holds it is looked at again. Raises NotFound, Changed, NotAllowed, Conflict."""
        row = await self._own(giver, role_id, if_match)
        before = {"name": row.name, "description": row.description, "grants": row.grants}
        if body.grants is not None:
            grants = self._grants(body.grants)
            await self._giving.judge(giver, grants)
            row.grants = grants
        if body.name is not None:
            row.name, row.name_key = body.name, names.key(body.name)
        if body.description is not None:
            row.description = body.description
        after = {"name": row.name, "description": row.description, "grants": row.grants}
        changed = {key: value for key, value in after.items() if value != before[key]}
        if changed:
            await names.flush(self._session, row.name)
            if "grants" in changed:
                await self._repository.tell_holders(row.id)
            await self._record(giver, "role.update", row, before={key: before[key] for key in changed}, **changed)
        return await self._one(row)

    async def delete(self, giver: Giver, role_id: str, if_match: str | None) -> None:
        """Whoever holds it loses it. Raises NotFound, Changed, NotAllowed, Conflict for a preset one."""
        row = await self._own(giver, role_id, if_match)
        shown = await self._one(row)
        users = await self._repository.users_by(UserRoleRow, "role_id", row.id, MOST_NAMED, None)
        groups = await self._repository.groups_with(row.id, MOST_NAMED, None)
        lost = {
            "grants": row.grants,
            "users": named([user.name for user in users], shown.user_count),
            "groups": named([group.name for group in groups], shown.group_count),
        }
        await self._repository.tell_holders(row.id)
        await self._session.delete(row)
        await self._session.flush()
        await self._record(giver, "role.delete", row, **lost)

    async def users(self, role_id: str, limit: int, cursor: str | None) -> Page[UserReference]:
        """To whom it was given, by name. Raises NotFound."""
        await self._row(role_id)
        found = await self._repository.users_by(UserRoleRow, "role_id", role_id, limit + 1, decode(cursor))
        rows, following = cut(found, limit, lambda row: row.name)
        return Page(items=[UserReference.model_validate(row) for row in rows], next_cursor=following)

    async def give_to_users(self, giver: Giver, role_id: str, user_ids: Collection[str]) -> Role:
        """Who holds it already keeps it. Raises NotFound, NotAllowed, Invalid, Conflict for the protected account."""
        role = await self._held(giver, role_id)
        users = await self._giving.lock_users(giver, user_ids)
        rows = [{"user_id": user.id, "role_id": role.id} for user in users]
        added = {row["user_id"] for row in await self._repository.link(UserRoleRow, rows)}
        for user in users:
            if user.id in added:
                refuse_protected(user)
        await self._changed_users(giver, "role.give", role, [user for user in users if user.id in added])
        return await self._one(role)

    async def take_from_user(self, giver: Giver, role_id: str, user_id: str) -> None:
        """Raises NotFound, NotAllowed, Conflict for the protected account."""
        role = await self._held(giver, role_id)
        users = await self._giving.lock_loser(giver, user_id)
        taken = await self._repository.unlink(UserRoleRow, role_id=[role_id], user_id=[user_id])
        if not taken:
            raise NotFound(told.NotFound())
        refuse_protected(users[0])
        await self._changed_users(giver, "role.take", role, users)

    async def groups(self, role_id: str, limit: int, cursor: str | None) -> Page[GroupReference]:
        """Which have it, by name. Raises NotFound."""
        await self._row(role_id)
        found = await self._repository.groups_with(role_id, limit + 1, decode(cursor))
        rows, following = cut(found, limit, lambda row: row.name_key)
        return Page(items=[GroupReference(id=row.id, name=row.name) for row in rows], next_cursor=following)

    async def give_to_groups(self, giver: Giver, role_id: str, group_ids: Collection[str]) -> Role:
        """Which have it already keep it. Raises NotFound, NotAllowed, Invalid."""
        role = await self._held(giver, role_id)
        groups = await self._giving.lock_groups(giver, group_ids)
        rows = [{"group_id": group.id, "role_id": role.id} for group in groups]
        added = {row["group_id"] for row in await self._repository.link(GroupRoleRow, rows)}
        await self._changed_groups(giver, "role.give", role, [group for group in groups if group.id in added])
        return await self._one(role)

    async def take_from_group(self, giver: Giver, role_id: str, group_id: str) -> None:
        """Raises NotFound, NotAllowed."""
        role = await self._held(giver, role_id)
        groups = await self._repository.lock_groups([group_id])
        await self._giving.judge(giver)
        if not await self._repository.unlink(GroupRoleRow, role_id=[role_id], group_id=[group_id]):
            raise NotFound(told.NotFound())
        await self._changed_groups(giver, "role.take", role, groups)

    async def _changed_users(self, giver: Giver, action: str, role: RoleRow, users: Sequence[UserRow]) -> None:
        if users:
            await self._repository.touch(UserRow, [user.id for user in users])
            await self._repository.tell_users([user.id for user in users])
            await self._record(giver, action, role, users=[user.name for user in users])

    async def _changed_groups(self, giver: Giver, action: str, role: RoleRow, groups: Sequence[GroupRow]) -> None:
        if groups:
            await self._repository.touch(GroupRow, [group.id for group in groups])
            await self._repository.tell_members([group.id for group in groups])
            await self._record(giver, action, role, groups=[group.name for group in groups])

    def _grants(self, wanted: builtins.list[str]) -> builtins.list[str]:
        """Each once, in order. Raises Invalid for what cannot be granted."""
        errors = [
            NoSuchGrantField(grant=grant).at(f"grants.{place}")
            for place, grant in enumerate(wanted)
            if not self._table.knows(grant)
        ]
        if errors:
            raise Invalid(told.InvalidRequest(), errors=errors)
        return sorted(set(wanted))

    async def _row(self, role_id: str, *, lock: bool = False) -> RoleRow:
        row = await self._repository.one(RoleRow, role_id, lock=lock)
        if row is None:
            raise NotFound(NoSuchRole(role=role_id[:64]))
        return row

    async def _own(self, giver: Giver, role_id: str, if_match: str | None) -> RoleRow:
        """A role that the giver may change, locked."""
        row = await self._row(role_id, lock=True)
        if row.preset:
            raise Conflict(PresetRole(name=row.name))
        await self._giving.judge(giver, row.grants)
        expect(row, if_match)
        return row

    async def _held(self, giver: Giver, role_id: str) -> RoleRow:
        """A role that the giver may give and take; it stays until the transaction ends."""
        found = await self._repository.hold(RoleRow, [role_id])
        if not found:
            raise NotFound(NoSuchRole(role=role_id[:64]))
        await self._giving.judge(giver, found[0].grants)
        return found[0]

    async def _one(self, row: RoleRow) -> Role:
        return (await self._described([row]))[0]

    async def _described(self, rows: Sequence[RoleRow]) -> builtins.list[Role]:
        ids = [row.id for row in rows]
        users = await self._repository.counts(UserRoleRow, "role_id", ids)
        groups = await self._repository.counts(GroupRoleRow, "role_id", ids)
        return [
            Role(
                id=row.id,
                name=row.name,
                description=row.description,
                preset=row.preset,
                grants=row.grants,
                permissions=sorted(map(str, self._table.of(row.grants))),
                user_count=users.get(row.id, 0),
                group_count=groups.get(row.id, 0),
                created_at=row.created_at,
                version=row.version,
            )
            for row in rows
        ]

    async def _record(self, giver: Giver, action: str, row: RoleRow, **details: object) -> None:
        await record(self._session, giver, action, kind="role", identifier=row.id, name=row.name, details=details)
