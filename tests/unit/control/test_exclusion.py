"""Which operations may go on side by side. Needs nothing."""

import itertools

import pytest

from installer.control.exclusion import Activity, exclude, hindrance
from installer.services.table import SERVICES

APPLY = Activity("apply", "run 7")


def on(service: str) -> Activity:
    return Activity(f"restart {service}", "somebody", service)


@pytest.mark.parametrize(
    ("one", "other"), [("api", "monitoring"), ("queue", "registry"), ("database", "api"), ("portal", "accelerators")]
)
def test_services_that_share_nothing_go_side_by_side(one: str, other: str) -> None:
    assert not exclude(on(one), on(other))


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("api", "api", "the same service"),
        ("portal", "gateway", "the same workload"),
        ("api", "jobs", "rendered by the same phase"),
        ("monitoring", "kubernetes", "others stand on it"),
        ("queue", "container_runtime", "others stand on it"),
        ("api", "control", "it ends the process that does the other"),
    ],
)
def test_services_that_share_something_exclude_each_other(one: str, other: str, why: str) -> None:
    assert exclude(on(one), on(other)), why


def test_an_apply_excludes_every_action_and_every_other_run() -> None:
    assert all(exclude(APPLY, on(service.name)) for service in SERVICES)
    assert exclude(APPLY, APPLY)


def test_exclusion_is_mutual_and_everything_excludes_itself() -> None:
    everything = [APPLY, *(on(service.name) for service in SERVICES)]
    assert all(exclude(one, other) == exclude(other, one) for one, other in itertools.product(everything, repeat=2))
    assert all(exclude(one, one) for one in everything)


def test_the_first_that_excludes_is_named() -> None:
    assert hindrance(on("api"), [on("monitoring"), on("jobs"), APPLY]) == on("jobs")
    assert hindrance(on("api"), [on("monitoring"), on("queue")]) is None
