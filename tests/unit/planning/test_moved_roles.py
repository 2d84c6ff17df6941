"""A role that moves between standing nodes: what would tear the cluster apart hinders, with the line that helps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from installer.cluster import loads
from installer.planning import Digests, Observations, done, plan

NOTHING = Observations()


def lines(*nodes: tuple[str, str]) -> str:
    """A cluster.yaml of nodes with their roles."""
    listed = (
        f"  - {{name: {name}, address: 10.0.0.{n}, roles: [{roles}]}}\n" for n, (name, roles) in enumerate(nodes, 1)
    )
    return "name: any\nnodes:\n" + "".join(listed)


THREE_MASTERS = (("m1", "master"), ("m2", "master"), ("m3", "master"), ("s", "storage"))
THREE_BRICKS = (("m", "master"), ("a", "storage"), ("b", "storage"), ("c", "storage"))


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        (
            THREE_MASTERS,
            (("m1", "master"), ("m2", "worker"), ("m3", "worker"), ("s", "storage")),
            [("m2", "`control_plane`, `control`", "master"), ("m3", "`control_plane`, `control`", "master")],
        ),
        (
            THREE_BRICKS,
            (("m", "master"), ("a", "storage"), ("b", "worker"), ("c", "worker")),
            [("b", "`storage`, `volume`", "storage"), ("c", "`storage`, `volume`", "storage")],
        ),
        (
            (("m1", "master"), ("w", "worker"), ("x", "worker"), ("s", "storage")),
            (("m1", "master"), ("w", "master"), ("x", "master"), ("s", "storage")),
            [("w", "`node`", "worker"), ("x", "`node`", "worker")],
        ),
    ],
    ids=["masters to workers", "bricks to workers", "workers to masters"],
)
@pytest.mark.parametrize("resting", [False, True])
def test_a_role_that_left_a_standing_node_is_a_hindrance_that_says_what_to_do(
    digests: Digests,
    before: tuple[tuple[str, str], ...],
    now: tuple[tuple[str, str], ...],
    told: list[tuple[str, str, str]],
    resting: bool,
) -> None:
    """Its other nodes would shut it out at once: a member of etcd or of the volume, and with it most of them."""
    standing = loads(lines(*before), installed=False)
    seen = done(plan(standing, None, NOTHING, digests), NOTHING)
    text = lines(*now).replace("]}", "], maintenance: true}") if resting else lines(*now)
    wanted = loads(text.replace(", maintenance: true", "", 1), installed=True)
    made = plan(wanted, standing, seen, digests)
    assert made.blocked == tuple(
        f"Node `{node}` was set up with {phases}, which cluster.yaml no longer asks for there, and which cannot be "
        f"taken away in place. Put `roles: [{role}]` back that it was set up with."
        for node, phases, role in told
    )
    assert "Put the role or the driver back" in plan(wanted, None, seen, digests).blocked[0]
    assert not plan(standing, standing, seen, digests).blocked


def test_what_hinders_is_told_also_where_nothing_is_to_be_done(digests: Digests) -> None:
    wanted = loads(lines(("m", "master"), ("w", "worker"), ("s", "storage")), installed=False)
    seen = done(plan(wanted, None, NOTHING, digests), NOTHING)
    worker = seen.nodes["w"]
    left = replace(worker, records={**worker.records, "volume": worker.records["host"]})
    made = plan(wanted, None, replace(seen, nodes={**seen.nodes, "w": left}), digests)
    assert not made.steps
    assert made.warnings[0].startswith("Node `w` was set up with `volume`")


@pytest.mark.parametrize("section", ["registry: {nodes: [m]}\n", "a storage node before it"])
def test_a_registry_that_would_move_is_a_hindrance_that_says_what_to_do(digests: Digests, section: str) -> None:
    text = lines(("m", "master"), ("a", "storage"))
    standing = loads(text, installed=False)
    seen = done(plan(standing, None, NOTHING, digests), NOTHING)
    more = [("x", "storage"), ("a", "storage"), ("y", "storage")]
    other = text + section if section.startswith("registry") else lines(("m", "master"), *more)
    host = "m" if section.startswith("registry") else "x"
    made = plan(loads(other, installed=True), standing, seen, digests)
    assert made.blocked, "a registry that would move hinders nothing"
    (told,) = made.blocked
    assert told.startswith(f"The registry stands on `a` and would now be on `{host}`, where it begins empty")
    assert "Say `registry: {nodes: [a]}`" in told
    assert not plan(loads(text + "registry: {nodes: [a]}\n", installed=True), standing, seen, digests).blocked


def test_a_registry_whose_host_is_lost_may_begin_anew_elsewhere(digests: Digests) -> None:
    text = lines(("m", "master"), ("a", "storage"))
    standing = loads(text, installed=False)
    seen = done(plan(standing, None, NOTHING, digests), NOTHING)
    lost = text.replace("[storage]", "[storage], maintenance: true") + "registry: {nodes: [m]}\n"
    made = plan(loads(lost, installed=True), standing, seen, digests)
    assert not made.blocked
    assert [(step.node, step.action) for step in made.of("registry")] == [("m", "apply")]


def test_a_new_master_may_not_stand_before_those_that_there_are(
    text: str, digests: Digests, installed: Observations
) -> None:
    new = "  - {name: master0, address: 10.0.0.10, roles: [master]}\n"
    more = new.replace("master0", "master2").replace("10.0.0.10", "10.0.0.12")
    first = loads(text.replace("nodes:\n", "nodes:\n" + new) + more, installed=True)
    assert "`master0` is new, but stands before `master1`" in plan(first, None, installed, digests).blocked[0]
    assert not plan(loads(text + new + more, installed=True), None, installed, digests).blocked
