"""Users as a file for spreadsheet programs, with the columns of an import: another installation can take it."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit.exporting import Export
from atoll.audit_trail.record import record
from atoll.identity.caller import Caller
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.repository import RightsRepository
from atoll.users.csv_file import HEADS, cell_of
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.platform import Platform

AT_ONCE = 500


class UsersExport(Export):
    """Accounts that a caller asked for, by name."""

    name = "users.csv"
    head = tuple(heads[0] for heads in HEADS.values())

    def __init__(self, parts: Platform, caller: Caller, filters: Mapping[str, Any]) -> None:
        super().__init__(parts, caller)
        self._filters = filters
        self._after: str | None = None

    async def begin(self, session: AsyncSession) -> None:
        """Nothing is too much: accounts are as many as people."""
        details = {name: value for name, value in self._filters.items() if value is not None}
        await record(session, self._caller, "user.export", kind="user", identifier="", name=self.name, details=details)

    async def part(self, session: AsyncSession) -> Sequence[Sequence[str]]:
        """The next accounts, with their roles, groups and virtual clusters by name."""
        users = await IdentityRepository(session).users(AT_ONCE, self._after, **self._filters)
        if not users:
            return []
        self._after = users[-1].name
        ids = [user.id for user in users]
        rights = RightsRepository(session)
        several = (
            await rights.roles_of_users(ids),
            await rights.groups_of_users(ids),
            await VirtualClusterService(session).of_users(ids),
        )
        return [
            [user.name, user.nickname, user.phone, user.email, *(_names(each.get(user.id, ())) for each in several)]
            for user in users
        ]


def _names(things: Sequence[Mapping[str, str]]) -> str:
    return cell_of(each["name"] for each in things)
