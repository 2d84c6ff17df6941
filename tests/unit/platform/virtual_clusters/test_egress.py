"""Where tasks of a virtual cluster are let out to, and whether they may be root: what is kept, what is refused."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from atoll.database.connection import Sessions
from atoll.engines.repository import NodeRepository
from atoll.networks import Opening, Ports, closed
from atoll.virtual_clusters.changes import Terms, confines, edited, only_grows
from atoll.virtual_clusters.egress import mistakes_of, openings
from atoll.virtual_clusters.models import PodSecurity, Standing
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import OpenNetwork, VirtualClusterCreate
from atoll.web.errors import ApiError, Conflict, Invalid
from pydantic import ValidationError

from tests.unit.platform.conftest import configuration
from tests.unit.platform.rows import a_caller, a_node
from tests.unit.platform.virtual_clusters.test_management import Room, mistakes

WEB = {"network": "203.0.113.0/24", "ports": [{"first": 443}]}
NAMES = {"network": "198.51.100.7/32", "ports": [{"protocol": "udp", "first": 53}, {"first": 8000, "last": 8100}]}
BASELINE, RESTRICTED = PodSecurity.BASELINE, PodSecurity.RESTRICTED


async def a_room(session: Any, settings: Any) -> Room:
    return Room(session, settings, await a_caller(session, "admin"))


@pytest.fixture
async def room(stored: Sessions, tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Room]:
    """Where jobs may be root, and pods have a network."""
    settings = configuration(tmp_path, postgres, database_name)
    engine = settings.engine.model_copy(update={"privileged_jobs": True, "networks": ["10.244.0.0/16"]})
    async with stored() as session, session.begin():
        yield await a_room(session, settings.model_copy(update={"engine": engine}))


@pytest.fixture
async def usual(stored: Sessions, tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Room]:
    async with stored() as session, session.begin():
        yield await a_room(session, configuration(tmp_path, postgres, database_name))


def told(*egress: dict[str, Any]) -> list[tuple[str, str]]:
    shut = closed(["10.244.0.0/16", "192.0.2.1"])
    found = mistakes_of([OpenNetwork.model_validate(each) for each in egress], shut)
    return [(each.field, each.code) for each in found]


def test_every_mistake_is_told_at_its_field() -> None:
    assert told(WEB, NAMES) == []
    assert told(
        WEB,
        {"network": "example.com", "ports": [{"first": 443}]},
        {"network": "10.244.3.0/24", "ports": [{"first": 443}, {"first": 10, "last": 9}]},
        WEB,
        {"network": "192.0.2.1/32", "ports": [{"first": 22, "last": 22}]},
    ) == [
        ("egress.1.network", "not_a_network"),
        ("egress.2.network", "network_of_the_cluster"),
        ("egress.2.ports.1.last", "ports_reversed"),
        ("egress.3.network", "network_twice"),
        ("egress.4.network", "network_of_the_cluster"),
    ]


@pytest.mark.parametrize(
    "egress",
    [
        [{"network": "203.0.113.0/24", "ports": []}],
        [{"network": "203.0.113.0/24"}],
        [{"network": "203.0.113.0/24", "ports": [{"first": 0}]}],
        [{"network": "203.0.113.0/24", "ports": [{"first": 65536}]}],
        [{"network": "203.0.113.0/24", "ports": [{"first": 1, "last": 65536}]}],
        [{"network": "203.0.113.0/24", "ports": [{"first": 1, "protocol": "icmp"}]}],
        [{"network": "2" * 19, "ports": [{"first": 1}]}],
        [{"network": f"203.0.{number}.0/24", "ports": [{"first": 1}]} for number in range(33)],
        [{"network": "203.0.113.0/24", "ports": [{"first": 1}] * 17}],
    ],
)
def test_what_cannot_be_meant_is_refused(egress: list[dict[str, Any]]) -> None:
    with pytest.raises(ValidationError):
        VirtualClusterCreate.model_validate({"name": "lab", "devices": {}, "egress": egress})


def test_the_order_in_which_it_was_asked_for_is_none() -> None:
    one, other = ([OpenNetwork.model_validate(each) for each in asked] for asked in ([WEB, NAMES], [NAMES, WEB]))
    assert openings(one) == openings(other)
    assert openings(one) == (
        Opening("198.51.100.7/32", (Ports("tcp", 8000, 8100), Ports("udp", 53, 53))),
        Opening("203.0.113.0/24", (Ports("tcp", 443, 443),)),
    )


def terms(*opened: Opening, level: PodSecurity = RESTRICTED) -> Terms:
    return Terms(pod_security=level, egress=opened)


HTTPS, BOTH = (
    Opening("203.0.113.0/24", (Ports("tcp", 443, 443),)),
    Opening("203.0.113.0/24", (Ports("tcp", 80, 80), Ports("tcp", 443, 443))),
)


@pytest.mark.parametrize(
    ("before", "after", "less"),
    [
        (terms(), terms(HTTPS), False),
        (terms(HTTPS), terms(HTTPS), False),
        (terms(HTTPS), terms(BOTH), False),
        (terms(BOTH), terms(HTTPS), True),
        (terms(HTTPS), terms(), True),
        (terms(), terms(level=BASELINE), True),
        (terms(level=BASELINE), terms(), True),
        (terms(level=BASELINE), terms(level=BASELINE), False),
    ],
)
def test_tasks_wait_for_the_engine_where_something_is_closed_or_the_level_is_another(
    before: Terms, after: Terms, less: bool
) -> None:
    assert confines(before, after) is less


def test_networks_are_closed_at_any_time_and_the_level_is_made_stricter_only_where_nothing_runs() -> None:
    assert only_grows(terms(BOTH), terms())
    assert only_grows(terms(), terms(level=BASELINE))
    assert only_grows(terms(level=BASELINE), terms(level=BASELINE))
    assert not only_grows(terms(level=BASELINE), terms())


def test_what_an_edit_leaves_out_stays() -> None:
    before = terms(HTTPS, level=BASELINE)
    assert edited(before, None, None, None) == before
    assert edited(before, None, None, None, pod_security=RESTRICTED).pod_security is RESTRICTED
    assert edited(before, None, None, None, egress=()).egress == ()


async def test_a_new_one_lets_nobody_be_root_and_nothing_out(usual: Room) -> None:
    made = await usual.make()
    assert (made.pod_security, made.egress) == (RESTRICTED, [])


async def test_what_was_set_is_kept_told_and_audited(room: Room) -> None:
    made = await room.make(pod_security="baseline", egress=[WEB, NAMES])
    assert made.pod_security is BASELINE
    assert [each.model_dump() for each in made.egress] == [
        {
            "network": "198.51.100.7/32",
            "ports": [
                {"protocol": "tcp", "first": 8000, "last": 8100},
                {"protocol": "udp", "first": 53, "last": 53},
            ],
        },
        {"network": "203.0.113.0/24", "ports": [{"protocol": "tcp", "first": 443, "last": 443}]},
    ]
    row = (await room.audited())[-1]
    assert row.details["pod_security"] == "baseline"
    assert [each["network"] for each in row.details["egress"]] == ["198.51.100.7/32", "203.0.113.0/24"]
    same = await room.edit(made, egress=[NAMES, WEB])
    assert same.version == made.version, "another order is an edit"


async def test_machines_pods_and_services_are_not_opened_by_anybody(room: Room) -> None:
    await NodeRepository(room.session).replace([a_node("worker")])  # at 192.0.2.1
    for network in ("10.244.0.0/16", "10.244.9.9/32", "192.0.2.1/32"):
        with pytest.raises(Invalid) as refused:
            await room.make(egress=[{"network": network, "ports": [{"first": 1, "last": 65535}]}])
        assert mistakes(refused) == {"egress.0.network": "network_of_the_cluster"}, network
    made = await room.make(egress=[WEB])
    with pytest.raises(Invalid) as refused:
        await room.edit(made, egress=[{"network": "192.0.2.1/32", "ports": [{"first": 22}]}])
    assert mistakes(refused) == {"egress.0.network": "network_of_the_cluster"}
    assert [each.network for each in (await room.edit(made)).egress] == ["203.0.113.0/24"]


async def test_of_a_machine_with_two_addresses_nobody_opens_the_second_one(room: Room) -> None:
    machine = a_node("worker").model_copy(update={"other_addresses": ("198.51.100.7",)})
    await NodeRepository(room.session).replace([machine])
    assert await NodeRepository(room.session).observations() == [machine]
    with pytest.raises(Invalid) as refused:
        await room.make(egress=[NAMES])
    assert mistakes(refused) == {"egress.0.network": "network_of_the_cluster"}


async def test_a_virtual_cluster_is_made_though_a_node_tells_no_address(room: Room) -> None:
    await NodeRepository(room.session).replace([a_node("worker").model_copy(update={"address": ""})])
    made = None
    with contextlib.suppress(ValueError):
        made = await room.make(egress=[WEB])
    assert made is not None, "one node that tells no address hinders everybody"
    assert [each.network for each in made.egress] == ["203.0.113.0/24"]


async def test_what_is_closed_is_closed_though_tasks_run_and_new_ones_wait_until_it_is(room: Room) -> None:
    made = await room.make(egress=[WEB, NAMES])
    await VirtualClusterRepository(room.session).confirm(made.id, made.version)
    await room.a_task_in(made, state="running")
    wider = await room.edit(made, egress=[WEB, NAMES, {"network": "198.51.100.0/29", "ports": [{"first": 22}]}])
    assert wider.standing is Standing.READY
    less = await room.edit(made, egress=[WEB])
    assert (less.standing, [each.network for each in less.egress]) == (Standing.PREPARING, ["203.0.113.0/24"])


async def test_jobs_lose_root_only_where_no_task_is(room: Room) -> None:
    made = await room.make(pod_security="baseline")
    await VirtualClusterRepository(room.session).confirm(made.id, made.version)
    task = await room.a_task_in(made, state="running")
    with pytest.raises(Conflict) as refused:
        await room.edit(made, pod_security="restricted")
    assert refused.value.code == "virtual_cluster_in_use"
    task.state, task.finished_at = "finished", task.created_at
    await room.session.flush()
    stricter = await room.edit(made, pod_security="restricted")
    assert (stricter.pod_security, stricter.standing) == (RESTRICTED, Standing.PREPARING)


async def test_extending_hours_leaves_the_rest_as_it_was(room: Room) -> None:
    made = await room.make(pod_security="baseline", egress=[WEB], max_hours=1)
    extended = await room.manage.extend(room.admin, made.id, 1, None)
    assert (extended.pod_security, extended.egress, extended.max_hours) == (BASELINE, made.egress, 2)


async def test_where_the_installation_does_not_let_it_no_virtual_cluster_has_room_for_root(usual: Room) -> None:
    def refusals(refused: pytest.ExceptionInfo[ApiError]) -> dict[str, str]:
        return mistakes(refused)

    with pytest.raises(Invalid) as refused:
        await usual.make(pod_security="baseline")
    assert refusals(refused) == {"pod_security": "privileged_jobs_off"}
    made = await usual.make()
    with pytest.raises(Invalid) as refused:
        await usual.edit(made, pod_security="baseline")
    assert refusals(refused) == {"pod_security": "privileged_jobs_off"}
    # One of before, when it did, may be edited beside that, and given up.
    row = await usual.row(made)
    row.pod_security = BASELINE
    await usual.session.flush()
    assert (await usual.edit(made, max_hours=9)).pod_security is BASELINE
    assert (await usual.edit(made, pod_security="restricted")).pod_security is RESTRICTED
