"""Rules of groups."""

import builtins
from collections.abc import Collection, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.bounds import MOST_NAMED, named
from atoll.audit_trail.record import record
from atoll.groups.codes import NoSuchGroup
from atoll.groups.schemas import Group, GroupCreate, GroupUpdate
from atoll.identity import names
from atoll.identity.accounts import refuse_protected
from atoll.identity.models import GroupMemberRow, GroupRoleRow, GroupRow, UserRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.rights.giving import Giver, Giving
from atoll.identity.rights.repository import RightsRepository
from atoll.identity.schemas import RoleReference, UserReference, VirtualClusterReference
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web import told
from atoll.web.conditional import expect
from atoll.web.errors import NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class GroupService:
    """Groups; the routes let only holders of groups:read and groups:manage in."""

    def __init__(self, session: AsyncSession, table: PermissionTable) -> None:
        self._session = session
        self._giving = Giving(session, table)
        self._repository = RightsRepository(session)
        self._clusters = VirtualClusterService(session)

    async def list(self, limit: int, cursor: str | None, words: str | None = None) -> Page[Group]:
        """Groups by name."""
        found = await self._repository.page(GroupRow, limit + 1, decode(cursor), words)
        rows, following = cut(found, limit, lambda row: row.name_key)
        return Page(items=await self._described(rows), next_cursor=following)

    async def read(self, group_id: str) -> Group:
        """One group. Raises NotFound."""
        return await self._one(await self._row(group_id))

    async def create(self, giver: Giver, body: GroupCreate) -> Group:
        """A new group. Raises Invalid, NotAllowed for more than the giver holds, Conflict for a name that is taken."""
        roles = await self._giving.roles(giver, body.roles)
        name_key = names.key(body.name)
        if await self._repository.taken(GroupRow, name_key):
            raise names.taken(body.name)
        row = GroupRow(name=body.name, name_key=name_key, description=body.description)
        self._session.add(row)
        await names.flush(self._session, body.name)
        await self._repository.link(GroupRoleRow, [{"group_id": row.id, "role_id": role.id} for role in roles])
        users = await self._put(giver, row, body.users) if body.users else []
        await self._record(giver, "group.create", row, roles=[role.name for role in roles], users=users)
        return await self._one(row)

    async def update(self, giver: Giver, group_id: str, body: GroupUpdate, if_match: str | None) -> Group:
        """Another name or description. Raises NotFound, Changed, NotAllowed, Conflict."""
        row = await self._own(giver, group_id, if_match)
        before = {"name": row.name, "description": row.description}
        if body.name is not None:
            row.name, row.name_key = body.name, names.key(body.name)
        if body.description is not None:
            row.description = body.description
        after = {"name": row.name, "description": row.description}
        if changed := {key: value for key, value in after.items() if value != before[key]}:
            await names.flush(self._session, row.name)
            await self._record(giver, "group.update", row, before={key: before[key] for key in changed}, **changed)
        return await self._one(row)

    async def put_roles(self, giver: Giver, group_id: str, role_ids: Collection[str], if_match: str | None) -> Group:
        """All roles that it is to have. Raises NotFound, Changed, Invalid, NotAllowed for more than the giver holds."""
        roles = await self._giving.roles(giver, role_ids)
        row = await self._own(giver, group_id, if_match)
        before = {
            each["id"]: each["name"] for each in (await self._repository.roles_of_groups([row.id])).get(row.id, [])
        }
        wanted = {role.id for role in roles}
        if wanted != before.keys():
            if gone := before.keys() - wanted:
                await self._repository.unlink(GroupRoleRow, group_id=[row.id], role_id=gone)
            if new := wanted - before.keys():
                await self._repository.link(GroupRoleRow, [{"group_id": row.id, "role_id": each} for each in new])
            await self._repository.touch(GroupRow, [row.id])
            await self._repository.tell_members([row.id])
            had = {"roles": [*before.values()]}
            await self._record(giver, "group.roles", row, before=had, roles=[role.name for role in roles])
        return await self.read(row.id)

    async def delete(self, giver: Giver, group_id: str, if_match: str | None) -> None:
        """Who is in it loses what they hold by it. Raises NotFound, Changed, NotAllowed."""
        row = await self._own(giver, group_id, if_match)
        await self._clusters.judge_groups(giver, [row.id])
        shown = await self._one(row)
        users = await self._repository.users_by(GroupMemberRow, "group_id", row.id, MOST_NAMED, None)
        lost = {
            "roles": [role.name for role in shown.roles],
            "virtual_clusters": [cluster.name for cluster in shown.virtual_clusters],
            "users": named([user.name for user in users], shown.user_count),
        }
        await self._repository.tell_members([row.id])
        await self._session.delete(row)
        await self._session.flush()
        await self._clusters.members_changed()
        await self._record(giver, "group.delete", row, **lost)

    async def users(self, group_id: str, limit: int, cursor: str | None) -> Page[UserReference]:
        """Who is in it, by name. Raises NotFound."""
        await self._row(group_id)
        found = await self._repository.users_by(GroupMemberRow, "group_id", group_id, limit + 1, decode(cursor))
        rows, following = cut(found, limit, lambda row: row.name)
        return Page(items=[UserReference.model_validate(row) for row in rows], next_cursor=following)

    async def add_users(self, giver: Giver, group_id: str, user_ids: Collection[str]) -> Group:
        """Who is in it already stays. Raises NotFound, NotAllowed, Invalid, Conflict for the protected account."""
        row = await self._held(giver, group_id)
        await self._clusters.judge_groups(giver, [row.id])
        if added := await self._put(giver, row, user_ids):
            await self._record(giver, "group.add", row, users=added)
        return await self._one(row)

    async def remove_user(self, giver: Giver, group_id: str, user_id: str) -> None:
        """Raises NotFound, NotAllowed."""
        row = await self._held(giver, group_id)
        await self._clusters.judge_groups(giver, [row.id])
        users = await self._giving.lock_loser(giver, user_id)
        if not await self._repository.unlink(GroupMemberRow, group_id=[group_id], user_id=[user_id]):
            raise NotFound(told.NotFound())
        await self._changed(users)
        await self._record(giver, "group.remove", row, users=[user.name for user in users])

    async def _put(self, giver: Giver, row: GroupRow, user_ids: Collection[str]) -> builtins.list[str]:
        """Put users into a group that is held; the names of those who were not in it."""
        users = await self._giving.lock_users(giver, user_ids)
        rows = [{"group_id": row.id, "user_id": user.id} for user in users]
        ids = {each["user_id"] for each in await self._repository.link(GroupMemberRow, rows)}
        added = [user for user in users if user.id in ids]
        for user in added:
            refuse_protected(user)
        await self._changed(added)
        return [user.name for user in added]

    async def _changed(self, users: Sequence[UserRow]) -> None:
        if users:
            ids = [user.id for user in users]
            await self._repository.touch(UserRow, ids)
            await self._repository.tell_users(ids)
            await self._clusters.members_changed()

    async def _row(self, group_id: str, *, lock: bool = False) -> GroupRow:
        row = await self._repository.one(GroupRow, group_id, lock=lock)
        if row is None:
            raise NotFound(NoSuchGroup(group=group_id[:64]))
        return row

    async def _own(self, giver: Giver, group_id: str, if_match: str | None) -> GroupRow:
        """A group that the giver may change, locked."""
        row = await self._row(group_id, lock=True)
        await self._giving.judge(giver, await self._repository.grants_of_groups([row.id]))
        expect(row, if_match)
        return row

    async def _held(self, giver: Giver, group_id: str) -> GroupRow:
        """A group into which the giver may put people; it stays until the transaction ends."""
        found = await self._repository.hold(GroupRow, [group_id])
        if not found:
            raise NotFound(NoSuchGroup(group=group_id[:64]))
        await self._giving.judge(giver, await self._repository.grants_of_groups([group_id]))
        return found[0]

    async def _one(self, row: GroupRow) -> Group:
        return (await self._described([row]))[0]

    async def _described(self, rows: Sequence[GroupRow]) -> builtins.list[Group]:
        ids = [row.id for row in rows]
        roles, clusters = await self._repository.roles_of_groups(ids), await self._clusters.of_groups(ids)
        users = await self._repository.counts(GroupMemberRow, "group_id", ids)
        return [
            Group(
                id=row.id,
                name=row.name,
                description=row.description,
                roles=[RoleReference.model_validate(role) for role in roles.get(row.id, ())],
                user_count=users.get(row.id, 0),
                virtual_clusters=[VirtualClusterReference.model_validate(each) for each in clusters.get(row.id, ())],
                created_at=row.created_at,
                version=row.version,
            )
            for row in rows
        ]

    async def _record(self, giver: Giver, action: str, row: GroupRow, **details: object) -> None:
        await record(self._session, giver, action, kind="group", identifier=row.id, name=row.name, details=details)
