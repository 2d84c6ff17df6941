"""Rules of accounts."""

import builtins
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Actor, record
from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.identity import passwords
from atoll.identity.access_tokens.repository import AccessTokenRepository
from atoll.identity.access_tokens.schemas import AccessToken
from atoll.identity.access_tokens.service import AccessTokenService
from atoll.identity.accounts import ADMIN, refuse_protected
from atoll.identity.models import GroupMemberRow, GroupRow, RoleRow, UserRoleRow, UserRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giver, Giving
from atoll.identity.rights.policy import USERS_READ
from atoll.identity.rights.repository import RightsRepository
from atoll.identity.schemas import GroupReference, RoleReference, VirtualClusterReference
from atoll.identity.service import described
from atoll.providers import WayName
from atoll.tasks.service import TaskService
from atoll.users import one_time
from atoll.users.codes import NoSuchUser, OwnAccount, OwnPassword, UnfinishedTasks
from atoll.users.schemas import Account, OneTimePassword, UserManagement, UserUpdate
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.ways_in.service import end_links as end_links_of
from atoll.ways_in.service import forget_labels
from atoll.web.conditional import expect
from atoll.web.errors import Conflict, NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class UserService:
    """Accounts; the routes let only holders of users:read and users:manage in, the command line only operators."""

    def __init__(self, session: AsyncSession, configuration: Configuration, table: PermissionTable) -> None:
        self._session = session
        self._homes = configuration.storage.root / "home"
        self._repository = IdentityRepository(session)
        self._tokens = AccessTokenRepository(session)
        self._access_tokens = AccessTokenService(session, table)
        self._rights = RightsRepository(session)
        self._giving = Giving(session, table)
        self._tasks = TaskService(session)
        self._clusters = VirtualClusterService(session)

    async def list(
        self,
        limit: int,
        cursor: str | None,
        *,
        words: str | None = None,
        active: bool | None = None,
        role: str | None = None,
        group: str | None = None,
        waiting: bool | None = None,
    ) -> Page[Account]:
        """Accounts by name."""
        found = await self._repository.users(
            limit + 1, decode(cursor), words=words, active=active, role=role, group=group, waiting=waiting
        )
        rows, following = cut(found, limit, lambda row: row.name)
        return Page(items=await self.described(rows), next_cursor=following)

    async def read(self, user_id: str) -> Account:
        """One account. Raises NotFound."""
        return (await self.described([await self._row(user_id)]))[0]

    async def id_of(self, name: str) -> str:
        """The id of the account of that name. Raises NotFound."""
        row = await self._repository.user_by_name(name)
        if row is None or row.deleted_at is not None:
            raise NotFound(NoSuchUser(name=name))
        return row.id

    async def management(self) -> UserManagement:
        """How much there is to be managed."""
        return UserManagement(
            users=await self._repository.count(),
            waiting=await self._repository.count(waiting=True),
            groups=await self._rights.count(GroupRow),
            roles=await self._rights.count(RoleRow),
        )

    async def update(self, giver: Giver, user_id: str, body: UserUpdate, if_match: str | None) -> Account:
        """Another full name, or other ways to reach the user. Raises NotFound, Changed, NotAllowed, Conflict."""
        row = await self._own(giver, user_id, if_match)
        refuse_protected(row)
        wanted = body.model_dump(exclude_none=True)
        changed = {key: value for key, value in wanted.items() if getattr(row, key) != value}
        for key, value in changed.items():
            setattr(row, key, value)
        if changed:
            await self._record(giver, "user.update", row, changed=sorted(changed))
        return _told(giver, await self._one(row))

    async def put_roles(self, giver: Giver, user_id: str, role_ids: Collection[str], if_match: str | None) -> Account:
        """All roles that the user is to have, but for those of groups. Raises as `put_groups`."""
        self._giving.refuse_own_by_token(giver, user_id)
        new = await self._giving.roles(giver, role_ids)
        row = await self._row(user_id, if_match, lock=True)
        before = _by_id((await self._rights.roles_of_users([row.id])).get(row.id, []))
        gone = before.keys() - {role.id for role in new}
        await self._giving.judge(
            giver, (grant for role in await self._rights.some(RoleRow, gone) for grant in role.grants)
        )
        added = [role.id for role in new if role.id not in before]
        if gone or added:
            refuse_protected(row)
            if gone:
                await self._rights.unlink(UserRoleRow, user_id=[row.id], role_id=gone)
            if added:
                await self._rights.link(UserRoleRow, [{"user_id": row.id, "role_id": each} for each in added])
            await self._rights.touch(UserRow, [row.id])
            await self._rights.tell_users([row.id])
            had = {"roles": [*before.values()]}
            await self._record(giver, "user.roles", row, before=had, roles=[role.name for role in new])
        return _told(giver, await self.read(row.id))

    async def put_groups(self, giver: Giver, user_id: str, group_ids: Collection[str], if_match: str | None) -> Account:
        """All groups in which the user is to be.

        Raises NotFound, Changed, Invalid, NotAllowed for what the giver does not hold, Conflict for the protected one.
        """
        self._giving.refuse_own_by_token(giver, user_id)
        new = await self._giving.groups(giver, group_ids)
        row = await self._row(user_id, if_match, lock=True)
        before = _by_id((await self._rights.groups_of_users([row.id])).get(row.id, []))
        gone = before.keys() - {group.id for group in new}
        await self._giving.judge(giver, await self._rights.grants_of_groups(gone))
        added = [group.id for group in new if group.id not in before]
        await self._clusters.judge_groups(giver, {*added, *gone})
        if gone or added:
            refuse_protected(row)
            if gone:
                await self._rights.unlink(GroupMemberRow, user_id=[row.id], group_id=gone)
            if added:
                await self._rights.link(GroupMemberRow, [{"user_id": row.id, "group_id": each} for each in added])
            await self._rights.touch(UserRow, [row.id])
            await self._rights.tell_users([row.id])
            await self._clusters.members_changed()
            had = {"groups": [*before.values()]}
            await self._record(giver, "user.groups", row, before=had, groups=[group.name for group in new])
        return _told(giver, await self.read(row.id))

    async def disable(self, giver: Giver, user_id: str, if_match: str | None, *, stop_tasks: bool) -> Account:
        """Nobody signs in as this user any more, sessions and access tokens end; tasks go on unless asked for.

        Raises NotFound, Changed, NotAllowed for who holds more than the giver, Conflict for one's own and the protected
        account.
        """
        if giver.id == user_id:
            raise Conflict(OwnAccount())
        row = await self._own(giver, user_id, if_match)
        refuse_protected(row)
        if row.active:
            row.active = False
            ended = await self._end_all(row)
            stopped = await self._tasks.stop_all_of(giver, row.id) if stop_tasks else 0
            await self._clusters.members_changed()
            await self._record(giver, "user.disable", row, **ended, stopped_tasks=stopped)
        return _told(giver, await self._one(row))

    async def enable(self, giver: Giver, user_id: str, if_match: str | None) -> Account:
        """The user may sign in again. Raises NotFound, Changed, NotAllowed."""
        row = await self._own(giver, user_id, if_match)
        if not row.active:
            row.active = True
            await self._repository.forgive_name(row.name)
            await self._clusters.members_changed()
            await self._record(giver, "user.enable", row)
        return _told(giver, await self._one(row))

    async def delete(self, giver: Giver, user_id: str, if_match: str | None, *, stop_tasks: bool) -> None:
        """Nobody has this account any more, nor its name and uid ever again; files stay, and what names it does.

        Raises NotFound, Changed, NotAllowed, Conflict for one's own, the protected one, and while there are tasks that
        have not ended and are not to be stopped.
        """
        if giver.id == user_id:
            raise Conflict(OwnAccount())
        row = await self._own(giver, user_id, if_match)
        refuse_protected(row)
        unfinished = (await self._tasks.unfinished_of_each([row.id])).get(row.id, 0)
        if unfinished and not stop_tasks:
            raise Conflict(UnfinishedTasks(name=row.name, count=unfinished))
        stopped = await self._tasks.stop_all_of(giver, row.id) if unfinished else 0
        shown = await self._one(row)
        lost = {
            "roles": [role.name for role in shown.roles],
            "groups": [group.name for group in shown.groups],
            "virtual_clusters": [cluster.name for cluster in shown.virtual_clusters],
        }
        row.active, row.deleted_at, row.must_change_password = False, now(), True
        row.password_hash = row.phone = row.email = ""
        ended = await self._end_all(row)
        await self._repository.forget_devices_of(row.id)
        await forget_labels(self._session, row.id)
        await self._rights.unlink(UserRoleRow, user_id=[row.id])
        await self._rights.unlink(GroupMemberRow, user_id=[row.id])
        await self._clusters.leave_all(row.id)
        home = self._home(row)
        await self._record(giver, "user.delete", row, **lost, **ended, stopped_tasks=stopped, home=home)

    async def reset_password(
        self, giver: Giver, user_id: str, if_match: str | None, *, end_links: bool = True
    ) -> OneTimePassword:
        """A one-time password, told this once; sessions and access tokens end, and no device is known any more.

        `end_links`: links with providers end, too, so that nobody comes back who linked the account with theirs.

        Raises NotFound, Changed, NotAllowed, Conflict (own).
        """
        if giver.id == user_id:
            raise Conflict(OwnPassword())
        password = one_time.drawn()
        hashed = await passwords.hashed(password)
        row = await self._own(giver, user_id, if_match)
        row.password_hash = hashed
        row.must_change_password = True
        ended = await self._end_all(row)
        ways = await end_links_of(self._session, row.id) if end_links else []
        # Whoever had the account guesses at the new password as a stranger. (Who changes their own keeps their devices:
        # they are signed out everywhere, and guesses from elsewhere would keep them out.)
        await self._repository.forget_devices_of(row.id)
        await self._repository.forgive_name(row.name)
        await self._record(giver, "user.reset_password", row, **ended, ways=ways)
        account = _told(giver, await self._one(row))
        return OneTimePassword(account=account, password=password, ways=[*map(WayName, ways)])

    async def end_sessions(self, giver: Giver, user_id: str, if_match: str | None) -> Account:
        """Sign the user out everywhere, and end what flows for them; access tokens stay.

        Raises NotFound, Changed, NotAllowed.
        """
        row = await self._own(giver, user_id, if_match)
        sessions = await self._repository.end_sessions_of(row.id)
        await self._record(giver, "user.end_sessions", row, sessions=sessions)
        return _told(giver, await self._one(row))

    async def access_tokens(self, user_id: str, limit: int, cursor: str | None) -> Page[AccessToken]:
        """Those of a user, the newest first. Raises NotFound."""
        return await self._access_tokens.list((await self._row(user_id)).id, limit, cursor)

    async def end_access_token(self, giver: Giver, user_id: str, token_id: str) -> None:
        """End one of a user's. Raises NotFound, NotAllowed for who holds more than the giver."""
        row = await self._own(giver, user_id, None)
        await self._access_tokens.end(giver, row.id, row.name, token_id)

    async def described(self, rows: Sequence[UserRow]) -> builtins.list[Account]:
        """Accounts, read with how to reach their users, as administrators see them."""
        ids = [row.id for row in rows]
        sessions, tasks = await self._repository.live_sessions_of(ids), await self._tasks.unfinished_of_each(ids)
        tokens = await self._tokens.live_of(ids)
        roles, groups = await self._rights.roles_of_users(ids), await self._rights.groups_of_users(ids)
        clusters = await self._clusters.of_users(ids)
        return [
            Account(
                **described(row, [RoleReference.model_validate(each) for each in roles.get(row.id, ())]).model_dump(),
                groups=[GroupReference.model_validate(each) for each in groups.get(row.id, ())],
                virtual_clusters=[VirtualClusterReference.model_validate(each) for each in clusters.get(row.id, ())],
                protected=row.name == ADMIN,
                must_change_password=row.must_change_password,
                version=row.version,
                sessions=sessions.get(row.id, 0),
                access_tokens=tokens.get(row.id, 0),
                unfinished_tasks=tasks.get(row.id, 0),
                home=self._home(row),
            )
            for row in rows
        ]

    def _home(self, row: UserRow) -> str:
        return str(self._homes / row.name)

    async def _row(self, user_id: str, if_match: str | None = None, *, lock: bool = False) -> UserRow:
        row = await self._repository.account(user_id, lock=lock)
        if row is None:
            raise NotFound(NoSuchUser(name=user_id[:64]))
        expect(row, if_match)
        return row

    async def _end_all(self, row: UserRow) -> dict[str, int]:
        """End sessions and access tokens, and what flows for them; how many of each."""
        return {
            "sessions": await self._repository.end_sessions_of(row.id),
            "access_tokens": await self._tokens.end_all_of(row.id),
        }

    async def _own(self, giver: Giver, user_id: str, if_match: str | None) -> UserRow:
        """An account that the giver may act upon, locked."""
        row = await self._row(user_id, if_match, lock=True)
        await self._giving.judge_user(giver, row.id)
        return row

    async def _one(self, row: UserRow) -> Account:
        await self._session.flush()
        return (await self.described([row]))[0]

    async def _record(self, actor: Actor, action: str, user: UserRow, **details: object) -> None:
        await record(self._session, actor, action, kind="user", identifier=user.id, name=user.name, details=details)


def _told(giver: Giver, account: Account) -> Account:
    """As the answer to a change tells it: who does not read users learns by none how to reach them."""
    if giver.id is None or USERS_READ.name in giver.holds():
        return account
    return account.model_copy(update={"phone": "", "email": ""})


def _by_id(references: Sequence[Mapping[str, str]]) -> dict[str, str]:
    return {each["id"]: each["name"] for each in references}
