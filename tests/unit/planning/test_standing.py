"""A node that stands and is no longer wanted is named, never forgotten."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from installer.cluster import Cluster, loads
from installer.planning import Digests, Observations, Record, Seen, done, plan, saved
from installer.planning.inventory import inventory
from installer.planning.standing import read_standing
from installer.running import accepted, plan_command
from installer.running.errors import RunError

NOTHING = Observations()


@pytest.fixture
def installed(cluster: Cluster, digests: Digests) -> Observations:
    return done(plan(cluster, None, NOTHING, digests), NOTHING)


@pytest.fixture
def smaller(text: str) -> str:
    """The cluster.yaml without worker2."""
    return "".join(line for line in text.splitlines(keepends=True) if "worker2" not in line)


def test_a_node_deleted_from_cluster_yaml_is_named_and_stops_apply(
    cluster: Cluster, smaller: str, digests: Digests, installed: Observations
) -> None:
    made = plan(loads(smaller, installed=True), cluster, installed, digests)
    let_in = {(step.phase, step.detail) for step in made.steps}
    assert let_in == {("volume", "members"), ("host", "node.firewall")}, "it is to be let in no more"
    assert [node for node, _ in made.leaving] == ["worker2"]
    (told,) = made.blocked
    assert told.startswith("Node `worker2` (10.0.0.22) stands, and is no longer in cluster.yaml.")
    assert "maintenance: true" in told


def test_a_dead_node_that_was_deleted_is_still_known_to_stand(
    cluster: Cluster, smaller: str, digests: Digests, installed: Observations
) -> None:
    dead = replace(installed.nodes["worker2"], reachable=False, problem="No route to host")
    seen = replace(installed, nodes={**installed.nodes, "worker2": dead})
    (told,) = plan(loads(smaller, installed=True), cluster, seen, digests).blocked
    assert "stands and does not answer" in told


@pytest.mark.parametrize("silent", [None, Seen(reachable=False, known=False)])
def test_a_node_of_which_nothing_is_known_counts_as_one_that_stands(
    cluster: Cluster, smaller: str, digests: Digests, installed: Observations, silent: Seen | None
) -> None:
    nodes = {name: node for name, node in installed.nodes.items() if name != "worker2"}
    seen = replace(installed, nodes=nodes if silent is None else {**nodes, "worker2": silent})
    assert plan(loads(smaller, installed=True), cluster, seen, digests).leaving


def test_a_node_on_which_nothing_came_to_be_is_dropped_in_peace(
    cluster: Cluster, smaller: str, digests: Digests, installed: Observations
) -> None:
    seen = replace(installed, nodes={**installed.nodes, "worker2": Seen()})
    made = plan(loads(smaller, installed=True), cluster, seen, digests)
    assert not made.blocked
    assert any("`worker2`" in warning and "forgotten" in warning for warning in made.warnings)


def test_put_back_with_maintenance_the_rest_can_be_applied(
    text: str, cluster: Cluster, digests: Digests, installed: Observations
) -> None:
    back = text.replace("address: 10.0.0.22", "address: 10.0.0.22, maintenance: true") + "monitoring: {memory: 2Gi}\n"
    made = plan(loads(back, installed=True), cluster, installed, digests)
    assert [step.phase for step in made.steps] == ["monitoring"]
    assert not made.blocked


def test_a_phase_that_no_version_of_ours_knows_is_named(
    cluster: Cluster, digests: Digests, installed: Observations
) -> None:
    node = replace(installed.nodes["worker1"], records={**installed.nodes["worker1"].records, "proxy": Record("x")})
    made = plan(cluster, cluster, replace(installed, nodes={**installed.nodes, "worker1": node}), digests)
    assert any("`proxy`" in warning and "`worker1`" in warning for warning in made.warnings)


def test_a_plan_with_a_leaving_node_can_be_saved_and_read(
    tmp_path: Path, cluster: Cluster, smaller: str, digests: Digests, installed: Observations
) -> None:
    made = plan(loads(smaller, installed=True), cluster, installed, digests)
    made.save(tmp_path / "plan.json")
    assert saved(tmp_path / "plan.json") == made


def test_a_leaving_node_is_in_the_inventory_to_be_reached_and_in_no_phase(
    text: str, smaller: str, digests: Digests, tmp_path: Path
) -> None:
    standing = loads(text.replace("address: 10.0.0.22", "address: 10.0.0.22, ssh: {port: 2222}"), installed=True)
    made = inventory(loads(smaller, installed=True), digests, tmp_path, None, standing)
    assert made.hosts["worker2"]["ansible_host"] == "10.0.0.22"
    assert made.hosts["worker2"]["ansible_port"] == 2222
    assert {group for group, members in made.groups.items() if "worker2" in members} == {"leaving"}


def test_a_revision_with_keys_of_another_version_still_tells_its_nodes(text: str) -> None:
    other = yaml.safe_load(text) | {"platform": {"no_such_key": 1}, "no_such_section": {}}
    other["nodes"][1]["no_such_key"] = 2
    standing = read_standing(yaml.safe_dump(other))
    assert standing is not None
    assert [node.name for node in standing.nodes] == ["master1", "worker1", "worker2", "storage1"]
    assert read_standing("- torn") is None
    assert read_standing("") is None


def test_what_stands_is_what_was_accepted_also_when_the_file_was_edited_there(
    tmp_path: Path, text: str, smaller: str
) -> None:
    accepted.accept(tmp_path, text)
    (tmp_path / accepted.FILE).write_text(smaller)
    standing = accepted.standing(tmp_path)
    assert standing is not None
    assert "worker2" in {node.name for node in standing.nodes}


@pytest.fixture
def command(
    tmp_path: Path, text: str, smaller: str, installed: Observations, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """`./atoll plan` of a file without worker2, on a cluster that has it."""
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ATOLL_BUNDLE", str(tmp_path / "bundle"))
    monkeypatch.setattr("installer.running.observe.observe", lambda *_: installed)
    accepted.accept(tmp_path / "state" / "real", text)
    (tmp_path / "cluster.yaml").write_text(smaller)
    return ["-f", str(tmp_path / "cluster.yaml")]


def test_the_command_plan_names_it_to_people_and_to_programs(command: list[str]) -> None:
    shown = CliRunner().invoke(plan_command.plan, command)
    assert shown.exit_code == 1
    assert "Node `worker2` (10.0.0.22) stands" in shown.output
    assert "leaves" in shown.output
    told = json.loads(CliRunner().invoke(plan_command.plan, [*command, "-o", "json"]).stdout)
    assert [node for node, _ in told["leaving"]] == ["worker2"]
    assert "`worker2`" in told["blocked"][0]


def unreadable(state: Path, content: str) -> None:
    revision = accepted.accepted(state)
    assert revision is not None
    accepted.write(state / accepted.RECORD, replace(revision, content=content).text())


def test_what_stands_and_cannot_be_read_is_no_silence(command: list[str], tmp_path: Path) -> None:
    state = tmp_path / "state" / "real"
    unreadable(state, "nodes: {of: another version}\n")
    refused = CliRunner().invoke(plan_command.plan, command)
    assert isinstance(refused.exception, RunError)
    assert f"{state / accepted.RECORD}: revision 1 of cluster.yaml" in str(refused.exception)
    assert "it is not known which nodes stand" in str(refused.exception)
    assert "./atoll apply -f FILE --over 1" in str(refused.exception)
    accepted.refuse_unreadable(state, over=1)
    (state / accepted.RECORD).write_text("{ torn")
    with pytest.raises(RunError, match="says nothing that can be read"):
        accepted.refuse_unreadable(state, over=1)


def test_a_revision_of_the_masters_that_cannot_be_compared_is_told_as_such(tmp_path: Path, text: str) -> None:
    theirs = accepted.Revision(4, "sha256:other", "today", "elsewhere", content="- another")
    with pytest.raises(RunError, match=r"does not know.* This version cannot read it, nor compare its nodes"):
        accepted.refuse_foreign(theirs, tmp_path, text, None)


@pytest.mark.parametrize(
    ("section", "now", "before", "lost"),
    [
        (
            "storage: {driver: nfs, nfs: {server: nas, path: /export}}",
            "nfs",
            "glusterfs",
            "homes, data sets and models",
        ),
        ("registry: {driver: harbor, harbor: {url: 'https://h', user: u}}", "harbor", "distribution", "images that"),
    ],
)
@pytest.mark.parametrize("accepted_before", [True, False])
def test_a_driver_that_is_swapped_on_a_standing_cluster_is_a_hindrance_that_says_what_to_do(
    cluster: Cluster,
    text: str,
    digests: Digests,
    installed: Observations,
    section: str,
    now: str,
    before: str,
    lost: str,
    accepted_before: bool,
) -> None:
    moved = loads(f"{text}{section}\n", installed=True)
    made = plan(moved, cluster if accepted_before else None, installed, digests)
    assert len(made.blocked) == 1, "it is one hindrance"
    (told,) = made.blocked
    key = section.partition(":")[0] + ".driver"
    assert told.startswith(f"`{key}` is now `{now}`, but `master1`, `worker1`, `worker2` and what lies there were made")
    assert lost in told
    assert (f"Put `{key}: {before}` back" if accepted_before else f"Put the `{key}` back") in told
    assert not plan(moved, cluster, NOTHING, digests).blocked


def test_from_glusterfs_to_a_folder_of_the_only_node_is_a_swap_too(digests: Digests) -> None:
    text = "name: one\nnodes: [{name: m, address: 10.0.0.11, roles: [master, worker, storage]}]\n"
    first = loads(text, installed=False)
    seen = done(plan(first, None, NOTHING, digests), NOTHING)
    (told,) = plan(loads(f"{text}storage: {{driver: local}}\n", installed=True), first, seen, digests).blocked
    assert told.startswith("`storage.driver` is now `local`, but `m` and what lies there were made for another")


def test_cards_of_another_driver_are_a_step(text: str, digests: Digests, installed: Observations) -> None:
    swapped = loads(text.replace("count: 8", "count: 8, driver: simulated"), installed=True)
    made = plan(swapped, None, installed, digests)
    assert "accelerators" in {step.phase for step in made.steps}
    assert not made.blocked
