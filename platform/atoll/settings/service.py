"""Rules of settings."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record
from atoll.identity.caller import Caller
from atoll.identity.schemas import VirtualClusterReference
from atoll.settings.models import FIRST_VERSION, USUAL_REFRESH_S
from atoll.settings.repository import SettingsRepository
from atoll.settings.schemas import Settings, SettingsChange
from atoll.virtual_clusters.codes import NotAMember
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web import told
from atoll.web.conditional import expect
from atoll.web.errors import Invalid


class SettingsService:
    """What people set for themselves."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._repository = SettingsRepository(session)
        self._clusters = VirtualClusterService(session)

    async def read(self, caller: Caller) -> Settings:
        """The caller's; a virtual cluster that is theirs no more gives way to the first that is."""
        row = await self._repository.get(caller)
        own = await self._clusters.of_user(caller.id)
        chosen = next((each for each in own if row is not None and each.id == row.virtual_cluster_id), None)
        return Settings(
            virtual_cluster=chosen or next(iter(own), None),
            refresh_seconds=USUAL_REFRESH_S if row is None else row.refresh_s,
            version=FIRST_VERSION if row is None else row.version,
        )

    async def change(self, caller: Caller, body: SettingsChange, if_match: str | None) -> Settings:
        """Keep what is different. Raises Changed, Invalid for a virtual cluster that is none of the caller's."""
        row = await self._repository.locked(caller)
        expect(row, if_match)
        if body.virtual_cluster is not None:
            own = {each.id for each in await self._clusters.of_user(caller.id)}
            if body.virtual_cluster not in own:
                raise Invalid(told.InvalidRequest(), errors=[NotAMember().at("virtual_cluster")])
            row.virtual_cluster_id = body.virtual_cluster
        if body.refresh_seconds is not None:
            row.refresh_s = body.refresh_seconds
        await self._session.flush()
        after = await self.read(caller)
        details = {"virtual_cluster": _name(after.virtual_cluster), "refresh_seconds": after.refresh_seconds}
        await record(
            self._session,
            caller,
            "settings.change",
            kind="settings",
            identifier=caller.id,
            name=caller.name,
            details=details,
        )
        return after


def _name(cluster: VirtualClusterReference | None) -> str | None:
    return None if cluster is None else cluster.name
