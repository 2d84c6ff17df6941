"""Accounts from a file: all lines are checked and told at once, and all are made, or none.

What takes long and asks nobody is done in a thread, and what is written goes in parts: others' requests go on between.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Deed, record, record_all
from atoll.identity import passwords
from atoll.identity.accounts import add_accounts
from atoll.identity.models import GroupMemberRow, GroupRow, RoleRow, UserRoleRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giver, Giving
from atoll.identity.rights.repository import RightsRepository
from atoll.users import codes, one_time, understanding
from atoll.users.import_schemas import InitialPassword, UsersImport
from atoll.users.understanding import Asked, Known, There, Wish
from atoll.virtual_clusters.policy import VIRTUAL_CLUSTERS_MANAGE
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.errors import Invalid

_AT_ONCE = 500


class UserImport:
    """Files of users; the routes let only holders of users:manage in, the command line only operators."""

    def __init__(self, session: AsyncSession, table: PermissionTable) -> None:
        self._session = session
        self._giving = Giving(session, table)
        self._identity = IdentityRepository(session)
        self._rights = RightsRepository(session)
        self._clusters = VirtualClusterService(session)

    async def look(self, giver: Giver, content: bytes, *, skip_existing: bool) -> UsersImport:
        """What would be made, line by line, with all that is wrong; nothing changes."""
        try:
            asked = await asyncio.to_thread(understanding.understood, content)
        except Invalid as error:
            return understanding.unreadable(error.errors)
        await self._resolve(giver, asked, skip_existing=skip_existing, hold=False)
        return await asyncio.to_thread(understanding.told, asked)

    async def make(self, giver: Giver, content: bytes, *, skip_existing: bool) -> UsersImport:
        """New accounts with passwords that are told this once. Raises Invalid, NotAllowed, Conflict."""
        asked = await asyncio.to_thread(understanding.understood, content)
        # Before anything is asked of the database: whoever waits for a turn keeps no connection from the others.
        secrets = {name: one_time.drawn() for name in asked.names}
        hashes = dict(zip(secrets, await passwords.hashed_drawn([*secrets.values()]), strict=True))
        lacking = await self._resolve(giver, asked, skip_existing=skip_existing, hold=True)
        understanding.refuse(asked.wishes, lacking)
        new = [wish for wish in asked.wishes if not wish.existing]
        members: dict[str, list[str]] = {}
        for begin in range(0, len(new), _AT_ONCE):
            for user_id, wish in await self._add(giver, new[begin : begin + _AT_ONCE], hashes):
                for name in wish.clusters:
                    members.setdefault(name, []).append(user_id)
        await self._join(members)
        # That took seconds, and others may have been waited for: whoever lost a right meanwhile gives nothing.
        await self._giving.judge(giver, {need for wish in new for need in wish.needs})
        details = {"made": len(new), "existing": len(asked.wishes) - len(new)}
        await record(self._session, giver, "user.import", kind="user", identifier="", name="", details=details)
        made = [InitialPassword(name=wish.name, password=secrets[wish.name]) for wish in new]
        return understanding.told_of_made(asked, made)

    async def _add(self, giver: Giver, wishes: Sequence[Wish], hashes: Mapping[str, str]) -> Sequence[tuple[str, Wish]]:
        """Accounts with their roles and groups; the id of each. Raises Conflict."""
        people = [
            wish.person.model_dump() | {"password_hash": hashes[wish.name]}
            for wish in wishes
            if wish.person is not None
        ]
        ids = await add_accounts(self._session, people)
        made = [*zip(ids, wishes, strict=True)]
        roles = [{"user_id": each, "role_id": role.id} for each, wish in made for role in wish.roles]
        groups = [{"user_id": each, "group_id": group.id} for each, wish in made for group in wish.groups]
        await self._rights.link_new(UserRoleRow, roles)
        await self._rights.link_new(GroupMemberRow, groups)
        await record_all(self._session, giver, "user.create", kind="user", deeds=_deeds(made))
        return made

    async def _join(self, members: Mapping[str, Sequence[str]]) -> None:
        """Raises Invalid for a virtual cluster that is being deleted since it was looked at."""
        for name, user_ids in sorted(members.items()):
            for begin in range(0, len(user_ids), _AT_ONCE):
                if not await self._clusters.join_all(name, user_ids[begin : begin + _AT_ONCE]):
                    mistake = codes.NoSuchVirtualClusterField(name=name).at("virtual_clusters")
                    raise Invalid(codes.UsersFileMistakes(count=1), errors=[mistake])
        await self._clusters.members_changed()

    async def _resolve(self, giver: Giver, asked: Asked, *, skip_existing: bool, hold: bool) -> frozenset[str]:
        """Fill in what the lines name; the permissions that the giver lacks. With `hold` it stays what it is."""
        roles = await self._rights.called(RoleRow, asked.roles, asked.presets, hold=hold)
        groups = await self._rights.called(GroupRow, asked.groups, hold=hold)
        await self._giving.judge(giver)
        there = There(
            names=await self._identity.names_had(asked.names),
            roles=understanding.with_chinese({role.name_key: self._known(role, role.grants) for role in roles}),
            groups=await self._known_groups(giver, groups),
            clusters=await self._clusters.usable(asked.clusters),
            held=await self._giving.held(giver),
        )
        return await asyncio.to_thread(understanding.resolve, asked.wishes, there, skip_existing=skip_existing)

    async def _known_groups(self, giver: Giver, groups: Sequence[GroupRow]) -> Mapping[str, Known]:
        """By their keys. Who is put into a group gets its roles, and the virtual clusters of which it is a member."""
        ids = [group.id for group in groups]
        grants = await self._rights.grants_of_each_group(ids)
        beyond = await self._clusters.groups_beyond(giver, ids)
        managing = [VIRTUAL_CLUSTERS_MANAGE.name]
        return {
            group.name_key: self._known(group, [*grants.get(group.id, ()), *(managing if group.id in beyond else ())])
            for group in groups
        }

    def _known(self, row: RoleRow | GroupRow, grants: Iterable[str]) -> Known:
        return Known(row.id, row.name, self._giving.names(grants))


def _deeds(made: Sequence[tuple[str, Wish]]) -> Iterator[Deed]:
    for user_id, wish in made:
        details = {
            "roles": [role.name for role in wish.roles],
            "groups": [group.name for group in wish.groups],
            "virtual_clusters": [*wish.clusters],
        }
        yield Deed(user_id, wish.name, details)
