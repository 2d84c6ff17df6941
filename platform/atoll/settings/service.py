"""Rules of settings."""

from collections.abc import Mapping
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record
from atoll.configuration import Configuration
from atoll.identity.caller import Caller
from atoll.identity.schemas import VirtualClusterReference
from atoll.settings.codes import PrivilegedNowhere, UnknownTimeZone
from atoll.settings.models import FIRST_VERSION, USUAL_REFRESH_S
from atoll.settings.repository import SettingsRepository
from atoll.settings.schemas import Settings, SettingsChange
from atoll.settings.zones import is_zone
from atoll.tasks.codes import PrivilegedNotYours, PrivilegedSwitchedOff
from atoll.tasks.privileged import refusal, refusal_in
from atoll.virtual_clusters.codes import NotAMember, PrivilegedJobsOff
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web import told
from atoll.web.codes import FieldCode
from atoll.web.conditional import expect
from atoll.web.errors import Invalid
from atoll.web.schema import FieldError

# What null means something of: each browser has its own.
_OF_BROWSERS = frozenset({"language", "appearance", "time_zone"})
_WHY: Mapping[type[FieldCode], Literal["installation", "permission", "virtual_clusters"]] = {
    PrivilegedJobsOff: "installation",
    PrivilegedNotYours: "permission",
    PrivilegedNowhere: "virtual_clusters",
}


class SettingsService:
    """What people set for themselves."""

    def __init__(self, session: AsyncSession, configuration: Configuration) -> None:
        self._session = session
        self._configuration = configuration
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
            language=None if row is None else row.language,
            appearance=None if row is None else row.appearance,
            time_zone=None if row is None else row.time_zone,
            privileged_jobs=False if row is None else row.privileged_jobs,
            privileged_jobs_refused=_WHY[type(why)] if (why := await self._unprivileged(caller)) is not None else None,
            version=FIRST_VERSION if row is None else row.version,
        )

    async def change(self, caller: Caller, body: SettingsChange, if_match: str | None) -> Settings:
        """Keep what is different. Raises Changed, Invalid with every mistake."""
        row = await self._repository.locked(caller)
        expect(row, if_match)
        if mistakes := await self._mistakes(caller, body):
            raise Invalid(told.InvalidRequest(), errors=mistakes)
        if body.virtual_cluster is not None:
            row.virtual_cluster_id = body.virtual_cluster
        if body.refresh_seconds is not None:
            row.refresh_s = body.refresh_seconds
        if body.privileged_jobs is not None:
            row.privileged_jobs = body.privileged_jobs
        for name in _OF_BROWSERS & body.model_fields_set:
            setattr(row, name, getattr(body, name))
        await self._session.flush()
        after = await self.read(caller)
        details = {
            "virtual_cluster": _name(after.virtual_cluster),
            **after.model_dump(include={"refresh_seconds", "privileged_jobs", *_OF_BROWSERS}),
        }
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

    async def _mistakes(self, caller: Caller, body: SettingsChange) -> list[FieldError]:
        mistakes = []
        if body.virtual_cluster is not None:
            own = {each.id for each in await self._clusters.of_user(caller.id)}
            if body.virtual_cluster not in own:
                mistakes.append(NotAMember().at("virtual_cluster"))
        if body.time_zone is not None and not is_zone(body.time_zone):
            mistakes.append(UnknownTimeZone().at("time_zone"))
        if body.privileged_jobs and (why := await self._unprivileged(caller)) is not None:
            mistakes.append(why.at("privileged_jobs"))
        return mistakes

    async def _unprivileged(self, caller: Caller) -> FieldCode | None:
        """What keeps the caller from switching privileged jobs on."""
        if (why := refusal(self._configuration, caller)) is not None:
            return why
        return None if await self._clusters.have_room_for_privileged(caller.id) else PrivilegedNowhere()

    async def unprivileged_in(self, caller: Caller, cluster: VirtualClusterRow) -> FieldCode | None:
        """What keeps the caller from a privileged job in a virtual cluster of theirs: their own switch, too."""
        if (why := refusal_in(self._configuration, caller, cluster)) is not None:
            return why
        row = await self._repository.get(caller)
        return None if row is not None and row.privileged_jobs else PrivilegedSwitchedOff()


def _name(cluster: VirtualClusterReference | None) -> str | None:
    return None if cluster is None else cluster.name
