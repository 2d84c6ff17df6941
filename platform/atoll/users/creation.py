"""New accounts: one, or several at once; all are made, or none."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record
from atoll.configuration import Configuration
from atoll.identity import passwords
from atoll.identity.accounts import add_account
from atoll.identity.codes import ContainsName, ContainsNameField, NameTaken, NameTakenField
from atoll.identity.models import GroupMemberRow, UserRoleRow, UserRow
from atoll.identity.permissions import PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giver, Giving
from atoll.identity.rights.repository import RightsRepository
from atoll.users.codes import NoSuchVirtualClusterField
from atoll.users.schemas import Account, NewUser, UserCreate, UsersCreate, UsersCreated
from atoll.users.service import UserService
from atoll.virtual_clusters.policy import VIRTUAL_CLUSTERS_MANAGE
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.errors import Conflict, Invalid
from atoll.web.schema import FieldError
from atoll.web.told import InvalidRequest


class UserCreation:
    """Accounts that are not there yet; the routes let only holders of users:manage in."""

    def __init__(self, session: AsyncSession, configuration: Configuration, table: PermissionTable) -> None:
        self._session = session
        self._repository = IdentityRepository(session)
        self._rights = RightsRepository(session)
        self._giving = Giving(session, table)
        self._clusters = VirtualClusterService(session)
        self._users = UserService(session, configuration, table)

    async def one(self, giver: Giver, body: UserCreate) -> Account:
        """A new account. Raises Invalid, NotAllowed, Conflict when the name is, or was, another's."""
        return (await self._all(giver, body, {"": body}))[0]

    async def several(self, giver: Giver, body: UsersCreate) -> UsersCreated:
        """New accounts with the same rights. Raises as `one` does, and names the fields: `users.3.name`."""
        places = {f"users.{place}.": user for place, user in enumerate(body.users)}
        return UsersCreated(items=await self._all(giver, body, places))

    async def _all(self, giver: Giver, body: UserCreate | UsersCreate, places: Mapping[str, NewUser]) -> list[Account]:
        """Accounts by the places of their fields."""
        _refuse_mistakes(places)
        # Before anything is asked of the database: whoever waits for a turn keeps no connection from the others.
        hashes = {place: await passwords.hashed(user.new_password_text()) for place, user in places.items()}
        roles = await self._giving.roles(giver, body.roles)
        groups = await self._giving.groups(giver, body.groups) if body.groups else []
        await self._clusters.judge_groups(giver, body.groups)
        if body.virtual_clusters:
            await self._giving.judge(giver, [VIRTUAL_CLUSTERS_MANAGE.name])
        await self._refuse_taken(places)
        rows = [
            await add_account(
                self._session,
                user.name,
                hashes[place],
                nickname=user.nickname,
                phone=user.phone,
                email=user.email,
                field=f"{place}name",
            )
            for place, user in places.items()
        ]
        ids = [row.id for row in rows]
        await self._rights.link(UserRoleRow, [{"user_id": each, "role_id": role.id} for each in ids for role in roles])
        if groups:
            links = [{"user_id": each, "group_id": group.id} for each in ids for group in groups]
            await self._rights.link(GroupMemberRow, links)
        clusters = [*dict.fromkeys(body.virtual_clusters)]
        await self._join(ids, clusters)
        for row in rows:
            await self._record(giver, row, [role.name for role in roles], [group.name for group in groups], clusters)
        return await self._users.described(rows)

    async def _refuse_taken(self, places: Mapping[str, NewUser]) -> None:
        taken = await self._repository.taken_names([user.name for user in places.values()])
        errors = [NameTakenField().at(f"{place}name") for place, user in places.items() if user.name in taken]
        if errors:
            raise Conflict(NameTaken(name=", ".join(sorted(taken))), errors=errors)

    async def _join(self, user_ids: Collection[str], clusters: Sequence[str]) -> None:
        """Raises Invalid for what is no virtual cluster."""
        missing = [name for name in clusters for user_id in user_ids if not await self._clusters.join(name, user_id)]
        if missing:
            errors = [NoSuchVirtualClusterField(name=each).at("virtual_clusters") for each in dict.fromkeys(missing)]
            raise Invalid(InvalidRequest(), errors=errors)

    async def _record(
        self, giver: Giver, row: UserRow, roles: Sequence[str], groups: Sequence[str], clusters: Sequence[str]
    ) -> None:
        details = {"roles": roles, "groups": groups, "virtual_clusters": clusters}
        await record(
            self._session, giver, "user.create", kind="user", identifier=row.id, name=row.name, details=details
        )


def _refuse_mistakes(places: Mapping[str, NewUser]) -> None:
    """Raise Invalid for passwords that are easily guessed, and for names that stand in the request twice."""
    guessed = [
        ContainsNameField().at(f"{place}password")
        for place, user in places.items()
        if passwords.has_name(user.name, user.new_password_text())
    ]
    seen: set[str] = set()
    twice: list[FieldError] = []
    for place, user in places.items():
        if user.name in seen:
            twice.append(NameTakenField().at(f"{place}name"))
        seen.add(user.name)
    if twice:
        raise Invalid(InvalidRequest(), errors=twice + guessed)
    if guessed:
        raise Invalid(ContainsName(), errors=guessed)
