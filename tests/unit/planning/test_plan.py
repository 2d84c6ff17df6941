"""The plan: exactly what is needed, in an order that works, with a reason that is true."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from installer.cluster import Cluster, loads
from installer.planning import (
    BY_NAME,
    PHASES,
    Digests,
    Managed,
    Observations,
    Plan,
    Scope,
    Seen,
    Step,
    done,
    plan,
)

NOTHING = Observations()


def brief(made: Plan) -> list[tuple[str, str, str]]:
    return [(step.phase, step.node, step.action) for step in made.steps]


def test_a_first_install_plans_every_phase_where_it_belongs(cluster: Cluster, digests: Digests) -> None:
    made = plan(cluster, None, NOTHING, digests)
    assert {step.reason for step in made.steps} == {"new"}
    assert [step.node for step in made.of("host")] == ["master1", "worker1", "worker2", "storage1"]
    assert [step.node for step in made.of("registry")] == ["storage1"]
    assert [step.node for step in made.of("node")] == ["worker1", "worker2", "storage1"]
    assert [step.node for step in made.of("queue")] == ["master1"]
    assert {step.phase for step in made.steps} == set(BY_NAME) - {"fencing"}


def test_after_a_success_there_is_nothing_to_do(cluster: Cluster, digests: Digests, installed: Observations) -> None:
    assert not plan(cluster, None, installed, digests)


def test_an_added_worker_gets_its_phases_and_is_let_in_by_all_others(
    text: str, digests: Digests, installed: Observations
) -> None:
    grown = loads(text + "  - {name: worker3, address: 10.0.0.23}\n", installed=True)
    elsewhere = {"volume": ("volume", "storage1", "apply")}
    of_a_worker = [phase.name for phase in PHASES if phase.on in (Scope.ALL, Scope.JOINED) or phase.name in elsewhere]
    made = plan(grown, None, installed, digests)
    others = [("host", name, "apply") for name in ("master1", "worker1", "worker2", "storage1")]
    assert {step.detail for step in made.steps if (step.phase, step.node, step.action) in others} == {"node.firewall"}
    assert [step for step in brief(made) if step not in others] == [
        elsewhere.get(name, (name, "worker3", "apply")) for name in of_a_worker
    ]
    assert set(others) <= set(brief(made))


def test_an_added_worker_with_devices_plans_only_what_is_about_devices(
    text: str, digests: Digests, installed: Observations
) -> None:
    worker = "  - {name: worker3, address: 10.0.0.23, accelerators: [{type: nvidia_gpu_amd64, count: 8}]}\n"
    others = plan(loads(text + worker, installed=True), None, installed, digests).steps
    about_devices = {"host", "volume", "accelerators", "platform"}
    assert {step.phase for step in others if step.node != "worker3"} == about_devices
    (of_platform,) = [step for step in others if step.phase == "platform"]
    assert of_platform.detail == "shared_devices", "no virtual cluster may use the cards of the new worker"
    # Where each virtual cluster says its numbers, a worker more is no matter of the platform.
    says = "platform: {virtual_clusters: [{name: default, devices: {nvidia_gpu_amd64: 8}}]}\n"
    standing = done(plan(loads(text + says, installed=False), None, Observations(), digests), Observations())
    others = plan(loads(text + worker + says, installed=True), None, standing, digests).steps
    assert {step.phase for step in others if step.node != "worker3"} == about_devices - {"platform"}


def test_a_changed_input_names_the_keys_that_changed(text: str, digests: Digests, installed: Observations) -> None:
    changed = loads(text + "monitoring: {retention_days: 7, memory: 2Gi}\n", installed=True)
    made = plan(changed, None, installed, digests)
    assert brief(made) == [("monitoring", "master1", "apply")]
    assert made.steps[0].reason == "input changed"
    assert made.steps[0].detail == "monitoring.memory, monitoring.retention_days"


def test_what_users_may_take_is_the_concern_of_the_servers_of_their_files(
    text: str, digests: Digests, installed: Observations
) -> None:
    changed = loads(text + "storage: {user_quotas: {ada: 500Gi}}\n", installed=True)
    made = plan(changed, None, installed, digests)
    assert brief(made) == [("storage", "storage1", "apply"), ("volume", "storage1", "apply")]
    assert {step.detail for step in made.steps} == {"storage.user_quotas"}


def test_a_label_concerns_its_node_only(text: str, digests: Digests, installed: Observations) -> None:
    labelled = loads(text.replace("address: 10.0.0.22", "address: 10.0.0.22, labels: {rack: a}"), installed=True)
    made = plan(labelled, None, installed, digests)
    assert brief(made) == [("node", "worker2", "apply")]
    assert made.steps[0].detail == "node.labels"


def test_a_node_with_another_role_gets_its_certificates(text: str, digests: Digests, installed: Observations) -> None:
    serving = loads(text.replace("address: 10.0.0.22", "address: 10.0.0.22, roles: [worker, storage]"), installed=True)
    (step,) = (step for step in plan(serving, None, installed, digests).of("certificates") if step.node == "worker2")
    assert "node.roles" in step.detail


def test_a_changed_role_plans_its_phases_again(cluster: Cluster, digests: Digests, installed: Observations) -> None:
    edited = replace(digests, roles={**digests.roles, "storage": "edited"})
    made = plan(cluster, None, installed, edited)
    assert {step.phase for step in made.steps} == {"storage", "volume", "storage_client"}
    assert {step.detail for step in made.steps} == {"role storage"}


def test_a_program_of_another_architecture_concerns_only_who_keeps_the_index_of_the_bundle(
    cluster: Cluster, digests: Digests, installed: Observations
) -> None:
    def phases_after(name: str) -> set[tuple[str, str]]:
        made = plan(cluster, None, installed, replace(digests, artifacts={**digests.artifacts, name: "x"}))
        return {(step.phase, step.detail) for step in made.steps}

    assert phases_after("bin/arm64/kubernetes") == {("control", "bundle")}
    assert phases_after("bin/amd64/kubernetes") == {
        ("control_plane", "bundle"),
        ("node", "bundle"),
        ("control", "bundle"),
    }


def test_a_file_changed_by_hand_is_planned_as_drifted(
    cluster: Cluster, digests: Digests, installed: Observations
) -> None:
    node = installed.nodes["worker1"]
    touched = replace(node, managed={"host": Managed(False, ("/etc/hosts",)), "node": Managed(True)})
    made = plan(cluster, None, replace(installed, nodes={**installed.nodes, "worker1": touched}), digests)
    assert [(step.phase, step.reason, step.detail) for step in made.steps] == [("host", "drifted", "/etc/hosts")]


def test_a_phase_that_began_and_has_no_record_failed_before(cluster: Cluster, digests: Digests) -> None:
    seen = Observations({"master1": Seen(managed={"host": Managed(True)})})
    reasons = {(step.node, step.reason) for step in plan(cluster, None, seen, digests).of("host")}
    assert ("master1", "failed before") in reasons
    assert ("worker1", "new") in reasons


def test_a_phase_that_began_again_and_never_ended_failed_before_and_still_stands(
    text: str, digests: Digests, installed: Observations
) -> None:
    """What fails with another tree leaves the record of this one, which no longer says what is there."""
    master = installed.nodes["master1"]
    control_plane = replace(master.records["control_plane"], begun=True)
    failed = replace(master, records={**master.records, "control_plane": control_plane})
    seen = replace(installed, nodes={**installed.nodes, "master1": failed})
    steps = plan(loads(text, installed=True), None, seen, digests).steps
    assert [(step.phase, step.node, step.reason) for step in steps] == [("control_plane", "master1", "failed before")]
    moved = loads(text + "network: {pod_network: 10.99.0.0/16}\n", installed=True)
    assert any("network.pod_network" in told for told in plan(moved, None, seen, digests).blocked)


def test_a_node_in_maintenance_is_left_out(text: str, digests: Digests) -> None:
    resting = loads(text.replace("address: 10.0.0.22", "address: 10.0.0.22, maintenance: true"), installed=True)
    made = plan(resting, None, NOTHING, digests)
    assert "worker2" not in {step.node for step in made.steps}
    assert made.warnings == ("Node `worker2` is in maintenance and left out.",)


def test_a_fenced_node_is_shut_out_by_all_others_and_let_in_again(
    text: str, digests: Digests, installed: Observations
) -> None:
    shut_out = loads(text.replace("address: 10.0.0.22", "address: 10.0.0.22, fenced: true"), installed=True)
    made = plan(shut_out, None, installed, digests)
    assert made.warnings == ("Node `worker2` is fenced and left out.",)
    others = ["master1", "worker1", "storage1"]
    assert [step.node for step in made.of("host")] == others
    assert {step.detail for step in made.of("host")} == {"node.firewall"}
    assert brief(made) == [
        *(("host", node, "apply") for node in others),
        ("volume", "storage1", "apply"),
        ("fencing", "master1", "apply"),
    ]
    assert made.of("volume")[0].detail == "members"
    # Whether it answers or not.
    silent = replace(installed.nodes["worker2"], reachable=False)
    seen = replace(installed, nodes={**installed.nodes, "worker2": silent})
    assert not plan(shut_out, None, seen, digests).blocked
    after = done(made, installed)
    assert not plan(shut_out, None, after, digests)
    back = plan(loads(text, installed=True), None, after, digests)
    assert ("fencing", "master1", "remove") in brief(back)
    assert {step.phase for step in back.steps} == {"host", "fencing", "volume"}


def test_a_silent_node_with_nothing_to_do_is_a_warning(
    cluster: Cluster, digests: Digests, installed: Observations
) -> None:
    silent = replace(installed.nodes["worker1"], reachable=False, problem="No route to host")
    made = plan(cluster, None, replace(installed, nodes={**installed.nodes, "worker1": silent}), digests)
    assert not made.steps
    assert not made.blocked
    assert made.warnings == (
        "Node `worker1` (10.0.0.21) does not answer: No route to host. Nothing is to be done there.",
    )


def test_a_silent_node_with_steps_blocks_the_plan(cluster: Cluster, digests: Digests) -> None:
    made = plan(cluster, None, Observations({"worker1": Seen(reachable=False)}), digests)
    assert len(made.blocked) == 1
    assert "`worker1`" in made.blocked[0]
    assert not made.only(nodes=["master1"]).only(phases=["host"]).blocked


def test_a_silent_node_that_is_to_join_blocks_the_plan(text: str, digests: Digests, installed: Observations) -> None:
    grown = loads(text + "  - {name: worker3, address: 10.0.0.23}\n", installed=True)
    silent = replace(installed, nodes={**installed.nodes, "worker3": Seen(reachable=False)})
    made = plan(grown, None, silent, digests)
    assert made.needs("worker3"), "a node that is to join need not answer"
    assert [told.partition(" (")[0] for told in made.blocked] == ["Node `worker3`"]
    assert not made.only(nodes=["storage1"]).blocked


def test_a_driver_that_is_dropped_is_removed_before_anything_is_made(
    text: str, digests: Digests, installed: Observations
) -> None:
    moved = loads(text + "registry: {driver: harbor, harbor: {url: 'https://h', user: u}}\n", installed=True)
    made = plan(moved, None, installed, digests)
    assert brief(made)[0] == ("registry", "storage1", "remove")
    assert made.steps[0].reason == "no longer wanted"
    assert not plan(moved, None, done(made, installed), digests)


def test_what_stands_on_others_is_removed_before_them(text: str, digests: Digests, installed: Observations) -> None:
    bare = re.sub(r", accelerators: \[.*\]", "", text)
    both = loads(bare + "registry: {driver: harbor, harbor: {url: 'https://h', user: u}}\n", installed=True)
    removed = [step.phase for step in plan(both, None, installed, digests).steps if step.action == "remove"]
    assert removed == ["accelerators", "registry"], "removals are planned in the order in which phases are made"


def test_servers_of_user_data_that_are_dropped_hinder_also_before_anything_is_kept_there(
    text: str, digests: Digests, installed: Observations
) -> None:
    """Nothing takes them away in place, and nothing says that it had."""
    dropped = loads(text + "storage: {driver: nfs, nfs: {server: nas, path: /export}}\n", installed=True)
    nodes = {
        name: replace(node, records={key: value for key, value in node.records.items() if key != "storage_client"})
        for name, node in installed.nodes.items()
    }
    made = plan(dropped, None, replace(installed, nodes=nodes), digests)
    assert not [step for step in made.steps if step.action == "remove"]
    (told,) = made.blocked
    assert told.startswith("Node `storage1` was set up with `storage`, `volume`, which")
    assert "Put the role or the driver back" in told


def test_the_last_accelerators_take_their_phase_with_them(text: str, digests: Digests, installed: Observations) -> None:
    bare = loads(re.sub(r", accelerators: \[.*\]", "", text), installed=True)
    assert ("accelerators", "master1", "remove") in brief(plan(bare, None, installed, digests))


def test_members_of_another_cluster_are_not_taken_over(text: str, digests: Digests, installed: Observations) -> None:
    other = loads(text.replace("master1", "master9"), installed=True)
    assert "`worker1` is a member of a cluster whose control plane" in plan(other, None, installed, digests).blocked[0]


def test_certificates_that_end_soon_are_planned_where_they_are_held(
    cluster: Cluster, digests: Digests, installed: Observations
) -> None:
    made = plan(cluster, None, installed, replace(digests, certificates_end=("registry/client",)))
    assert {step.reason for step in made.steps} == {"certificates end soon"}
    assert {step.detail for step in made.steps} == {"registry/client"}
    held = {"certificates", "registry", "control_plane", "node", "storage", "storage_client"}
    assert {step.phase for step in made.steps} == held | {"queue", "database", "platform", "control"}


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("network: {pod_network: 10.245.0.0/16}", "network.pod_network"),
        ("kubernetes: {extra_names: [k.example.com]}", "kubernetes.extra_names"),
    ],
)
def test_what_is_fixed_when_a_cluster_is_made_is_not_changed_in_silence(
    text: str, digests: Digests, installed: Observations, more: str, key: str
) -> None:
    made = plan(loads(f"{text}{more}\n"), None, installed, digests)
    assert any(key in problem for problem in made.blocked)


def test_every_phase_plans_all_and_says_that_it_was_asked_for(
    cluster: Cluster, digests: Digests, installed: Observations
) -> None:
    made = plan(cluster, None, installed, digests, every_phase=True)
    assert {step.reason for step in made.steps} == {"every phase"}
    assert brief(made) == brief(plan(cluster, None, NOTHING, digests))


def test_phases_stand_behind_what_they_need() -> None:
    seen: set[str] = set()
    for phase in PHASES:
        assert set(phase.needs) <= seen, phase.name
        seen.add(phase.name)


def test_phases_are_those_of_the_contract() -> None:
    page = (Path(__file__).parents[3] / "docs" / "develop.md").read_text(encoding="utf-8")
    listed = page.partition("## Phases (order)")[2].partition("CLUSTER phases run once")[0]
    assert [phase.name for phase in PHASES] == re.findall(r"(?:^|· )\s*`([a-z_]+)` [a-z]", listed, re.MULTILINE)


ROLES = st.sampled_from(["worker", "storage"])
NODES = st.lists(
    st.tuples(ROLES, st.sampled_from([None, "nvidia_gpu_amd64", "huawei_npu_amd64"]), st.booleans()), max_size=6
)


def some_cluster(masters: int, nodes: list[tuple[str, str | None, bool]]) -> Cluster:
    lines = [f"  - {{name: m{n}, address: 10.0.1.{n}, roles: [master]}}" for n in range(1, masters + 1)]
    lines.append("  - {name: s0, address: 10.0.2.200, roles: [storage]}")
    for number, (role, device, maintenance) in enumerate(nodes, 1):
        cards = f"[{{type: {device}, count: 4}}]" if device and role == "worker" else "[]"
        lines.append(
            f"  - {{name: n{number}, address: 10.0.2.{number}, roles: [{role}], accelerators: {cards}, "
            f"maintenance: {str(maintenance).lower()}}}"
        )
    return loads("name: any\nnodes:\n" + "\n".join(lines) + "\n", installed=False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([1, 3]), NODES, NODES, st.randoms(use_true_random=False))
def test_whatever_is_seen_a_plan_that_is_done_leaves_nothing_to_do(
    digests: Digests, masters: int, before: list[object], now: list[object], random: object
) -> None:
    first = some_cluster(masters, before)  # type: ignore[arg-type]
    made = plan(first, None, NOTHING, digests)
    partly = replace(made, steps=tuple(step for step in made.steps if random.random() < 0.7))  # type: ignore[attr-defined]
    seen = done(partly, NOTHING)
    wanted = some_cluster(masters, now)  # type: ignore[arg-type]
    second = plan(wanted, None, seen, digests)
    assert second == plan(wanted, None, seen, digests)
    assert not plan(wanted, None, done(second, seen), digests)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([1, 3]), NODES)
def test_steps_stand_in_the_order_of_the_phases(digests: Digests, masters: int, nodes: list[object]) -> None:
    order = [phase.name for phase in PHASES]
    steps = plan(some_cluster(masters, nodes), None, NOTHING, digests).steps  # type: ignore[arg-type]
    places = [order.index(step.phase) for step in steps]
    assert places == sorted(places)
    assert len(set(steps)) == len(steps)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([1, 3]), NODES)
def test_a_worker_more_changes_no_hash_of_another_node_but_who_lets_it_in(
    digests: Digests, masters: int, nodes: list[object]
) -> None:
    less = plan(some_cluster(masters, nodes), None, NOTHING, digests)  # type: ignore[arg-type]
    more = plan(some_cluster(masters, [*nodes, ("worker", None, False)]), None, NOTHING, digests)  # type: ignore[list-item]
    newcomer = f"n{len(nodes) + 1}"

    def but_for_the_firewall(step: Step) -> Step:
        return replace(step, input_hash=re.sub(r"node\.firewall=\S+ ", "", step.input_hash))

    others = [but_for_the_firewall(step) for step in more.steps if step.node != newcomer]
    before = [but_for_the_firewall(step) for step in less.steps]
    assert [step for step in others if step.phase != "volume"] == [step for step in before if step.phase != "volume"]
    assert [(step.phase, step.node) for step in others] == [(step.phase, step.node) for step in before]
