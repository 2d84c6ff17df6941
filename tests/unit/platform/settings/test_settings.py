"""What people set for themselves: kept on the server, bounded, and never a virtual cluster that is not theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from atoll.audit_trail.models import AuditRow
from atoll.configuration import Configuration, FirstVirtualCluster
from atoll.database.connection import Sessions
from atoll.identity.caller import Caller
from atoll.settings.models import FIRST_VERSION, UserSettingsRow
from atoll.settings.schemas import Settings, SettingsChange
from atoll.settings.service import SettingsService
from atoll.virtual_clusters.models import MemberRow, Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.errors import Changed, Invalid
from pydantic import ValidationError
from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.conftest import RunningPlatform, configuration
from tests.unit.platform.rows import a_caller


class Person:
    """Ada at her settings; she is a member of `default` and `lab`, and `secret` is another's."""

    def __init__(
        self, session: AsyncSession, caller: Caller, clusters: dict[str, str], settings: Configuration
    ) -> None:
        self.session = session
        self.settings = settings
        self.caller = caller
        self.clusters = clusters
        self._service = SettingsService(session, settings)

    async def read(self) -> Settings:
        return await self._service.read(self.caller)

    async def change(self, if_match: str | None = None, **what: Any) -> Settings:
        return await self._service.change(self.caller, SettingsChange(**what), if_match)


@pytest.fixture
async def ada(stored: Sessions, tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Person]:
    settings = configuration(tmp_path, postgres, database_name)
    async with stored() as session, session.begin():
        caller, service = await a_caller(session, "ada"), VirtualClusterService(session)
        for name in ("lab", "secret"):
            assert await service.ensure(FirstVirtualCluster(name=name, devices={}))
        await service.join("lab", caller.id)
        rows = (await session.scalars(select(VirtualClusterRow))).all()
        yield Person(session, caller, {row.name: row.id for row in rows}, settings)


async def test_who_never_set_anything_uses_the_first_of_their_virtual_clusters(ada: Person) -> None:
    found = await ada.read()
    assert found.virtual_cluster is not None
    assert (found.virtual_cluster.name, found.refresh_seconds, found.version) == ("default", 15, FIRST_VERSION)
    assert (await ada.session.scalars(select(UserSettingsRow))).all() == [], "a look has written something"


async def test_what_is_set_stays_and_what_is_left_out_stays_as_it_was(ada: Person) -> None:
    changed = await ada.change(virtual_cluster=ada.clusters["lab"])
    assert changed.virtual_cluster is not None
    assert (changed.virtual_cluster.name, changed.refresh_seconds) == ("lab", 15)
    changed = await ada.change(refresh_seconds=60)
    assert (changed.virtual_cluster is not None and changed.virtual_cluster.name, changed.refresh_seconds) == (
        "lab",
        60,
    )
    assert await ada.read() == changed
    rows = (await ada.session.scalars(select(AuditRow).where(AuditRow.action == "settings.change"))).all()
    browsers = {"language": None, "appearance": None, "time_zone": None, "privileged_jobs": False}
    assert [row.details for row in rows] == [
        {"virtual_cluster": "lab", "refresh_seconds": 15, **browsers},
        {"virtual_cluster": "lab", "refresh_seconds": 60, **browsers},
    ]


async def test_language_appearance_and_time_zone_follow_the_person_until_they_give_them_back(ada: Person) -> None:
    assert ((await ada.read()).language, (await ada.read()).appearance, (await ada.read()).time_zone) == (None,) * 3
    changed = await ada.change(language="zh-CN", appearance="dark", time_zone="Asia/Shanghai")
    assert (changed.language, changed.appearance, changed.time_zone) == ("zh-CN", "dark", "Asia/Shanghai")
    assert await ada.change(refresh_seconds=30) == changed.model_copy(
        update={"refresh_seconds": 30, "version": changed.version + 1}
    ), "what was left out has changed"
    back = await ada.change(time_zone=None)
    assert (back.language, back.appearance, back.time_zone) == ("zh-CN", "dark", None)
    back = await ada.change(language=None, appearance=None)
    assert (back.language, back.appearance) == (None, None)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "Europe/Berlin", "Asia/Calcutta", "America/Port-au-Prince"])
async def test_a_time_zone_is_kept_by_its_name(ada: Person, zone: str) -> None:
    assert (await ada.change(time_zone=zone)).time_zone == zone


@pytest.mark.parametrize(
    "zone", ["", "Mars/Olympus", "../../etc/passwd", "asia/shanghai", "localtime", "Factory", "+8"]
)
async def test_what_is_no_time_zone_is_refused_at_its_field_and_changes_nothing(ada: Person, zone: str) -> None:
    with pytest.raises(Invalid) as refused:
        await ada.change(time_zone=zone, refresh_seconds=60)
    assert [(error.field, error.code) for error in refused.value.errors] == [("time_zone", "unknown_time_zone")]
    assert (await ada.read()).refresh_seconds == 15


async def test_every_mistake_is_told_at_once(ada: Person) -> None:
    with pytest.raises(Invalid) as refused:
        await ada.change(time_zone="Mars", virtual_cluster=ada.clusters["secret"])
    assert [error.field for error in refused.value.errors] == ["virtual_cluster", "time_zone"]


@pytest.mark.parametrize(("field", "value"), [("language", "fr"), ("appearance", "loud"), ("language", "")])
async def test_a_language_or_appearance_that_the_portal_has_not_is_refused_by_api_and_database(
    ada: Person, field: str, value: str
) -> None:
    with pytest.raises(ValidationError):
        SettingsChange.model_validate({field: value})
    ada.session.add(UserSettingsRow(user_id=ada.caller.id, refresh_s=15, **{field: value}))
    with pytest.raises(IntegrityError, match=f"{field}_is_known"):
        await ada.session.flush()
    await ada.session.rollback()


async def test_settings_are_ones_own(ada: Person) -> None:
    await ada.change(refresh_seconds=60)
    bob = Person(ada.session, await a_caller(ada.session, "bob"), ada.clusters, ada.settings)
    assert (await bob.read()).refresh_seconds == 15, "somebody has what another one set"
    await bob.change(refresh_seconds=30)
    assert (await ada.read()).refresh_seconds == 60


async def test_a_virtual_cluster_of_others_is_refused_like_one_that_is_not_there(ada: Person) -> None:
    refusal = [("virtual_cluster", "not_a_member", "You are not a member of this virtual cluster.")]
    for identifier in (ada.clusters["secret"], "0" * 26):
        told: list[tuple[str, str, str]] = []
        try:
            await ada.change(virtual_cluster=identifier)
        except Invalid as refused:
            told = [(error.field, error.code, error.message) for error in refused.errors]
        assert told == refusal, "somebody uses a virtual cluster that is not theirs"
    admin = Person(ada.session, await a_caller(ada.session, "admin"), ada.clusters, ada.settings)
    with pytest.raises(Invalid):
        await admin.change(virtual_cluster=ada.clusters["secret"])  # sees it, and is no member


async def test_a_virtual_cluster_that_is_theirs_no_more_gives_way_and_comes_back_with_them(ada: Person) -> None:
    await ada.change(virtual_cluster=ada.clusters["lab"])

    async def uses() -> str | None:
        found = (await ada.read()).virtual_cluster
        return found.name if found is not None else None

    await ada.session.execute(delete(MemberRow).where(MemberRow.virtual_cluster_id == ada.clusters["lab"]))
    assert await uses() == "default"
    await VirtualClusterRepository(ada.session).add_users(ada.clusters["lab"], [ada.caller.id])
    assert await uses() == "lab"
    of_lab = VirtualClusterRow.id == ada.clusters["lab"]
    await ada.session.execute(update(VirtualClusterRow).where(of_lab).values(standing=Standing.DELETING))
    assert await uses() == "default", "one that is being deleted is in use"
    await ada.session.execute(delete(MemberRow))
    assert await uses() is None


@pytest.mark.parametrize("seconds", [4, 3601, 0, -5, 1 << 40])
async def test_an_interval_out_of_bounds_is_refused_by_the_api_and_by_the_database(ada: Person, seconds: int) -> None:
    with pytest.raises(ValidationError):
        SettingsChange(refresh_seconds=seconds)
    if seconds < 1 << 31:
        ada.session.add(UserSettingsRow(user_id=ada.caller.id, refresh_s=seconds))
        with pytest.raises(IntegrityError, match="refresh_within_bounds"):
            await ada.session.flush()
        await ada.session.rollback()


@pytest.mark.parametrize("seconds", [5, 3600])
async def test_an_interval_at_its_bounds_is_kept(ada: Person, seconds: int) -> None:
    assert (await ada.change(refresh_seconds=seconds)).refresh_seconds == seconds


async def test_whoever_changes_what_was_changed_elsewhere_is_told_also_the_first_time(ada: Person) -> None:
    first = f'"{(await ada.read()).version}"'
    changed = await ada.change(first, refresh_seconds=60)
    with pytest.raises(Changed):
        await ada.change(first, refresh_seconds=30)
    assert (await ada.read()).refresh_seconds == 60
    assert (await ada.change(f'"{changed.version}"', refresh_seconds=30)).version > changed.version


async def test_settings_are_read_and_changed_over_http(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada, alone = await platform.user(admin, "ada"), await platform.user(admin, "alone", member=False)
    first = await ada.get("/settings")
    assert first.json()["virtual_cluster"]["name"] == "default"
    own = (await ada.get("/virtual-clusters")).json()["items"][0]["id"]
    body = {"virtual_cluster": own, "refresh_seconds": 120}
    changed = await ada.http.put("/settings", json=body, headers={"If-Match": first.headers["ETag"]})
    assert (changed.status_code, changed.json()["refresh_seconds"]) == (200, 120), changed.text
    assert changed.headers["ETag"] != first.headers["ETag"]
    stale = await ada.http.put("/settings", json=body, headers={"If-Match": first.headers["ETag"]})
    assert stale.status_code == 412
    assert (await alone.get("/settings")).json()["virtual_cluster"] is None
    refused = await alone.http.put("/settings", json={"virtual_cluster": own})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "not_a_member")
    unknown = await ada.http.put("/settings", json={"theme": "dark"})
    assert unknown.status_code == 422
