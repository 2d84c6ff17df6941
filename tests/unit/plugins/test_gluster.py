"""The volume and its quotas, against a `gluster` that keeps what it is told. Needs nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from installer.cluster import TREE, Cluster, loads
from installer.planning import Digests, Observations, done, plan
from installer.planning.inventory import inventory
from installer.planning.observations import Seen
from tests.unit.plugins.gluster import told

QUOTA = {"features.quota-deem-statfs": "on", "features.soft-timeout": "2", "features.hard-timeout": "1"}


def options(gluster: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((gluster / "volume").read_text())["options"]
    return {name: value for name, value in found.items() if name.startswith("features.")}


ON = {
    "features.quota": "on",
    "features.inode-quota": "on",
    "features.quota-deem-statfs": "on",
    "features.soft-timeout": "2",
    "features.hard-timeout": "1",
}


def test_quotas_are_turned_on_once_the_volume_is_started_and_then_stay(gluster: Path, ensure: Any) -> None:
    assert ensure(QUOTA)["changes"][-3:-1] == ["start", "quota on"]
    assert options(gluster) == ON
    assert ensure(QUOTA)["changes"] == []


def test_quotas_are_turned_off_again(gluster: Path, ensure: Any) -> None:
    ensure(QUOTA)
    assert ensure({})["changes"] == ["quota off"]
    assert ensure({})["changes"] == []
    assert options(gluster)["features.quota"] == "off"


def test_what_a_kill_or_a_hand_left_of_the_quotas_is_mended_and_verify_says_it(gluster: Path, ensure: Any) -> None:
    ensure(QUOTA)
    kept = json.loads((gluster / "volume").read_text())
    del kept["options"]["features.soft-timeout"]
    kept["options"]["features.quota-deem-statfs"] = "off"
    (gluster / "volume").write_text(json.dumps(kept))
    wanted = ["options features.quota-deem-statfs, features.soft-timeout"]
    assert ensure(QUOTA, check=True)["changes"] == wanted
    assert options(gluster) != ON, "a check changes nothing"
    assert ensure(QUOTA)["changes"] == wanted
    assert options(gluster) == ON


def test_a_home_that_gets_its_limit_at_that_moment_is_waited_for(gluster: Path, ensure: Any) -> None:
    ensure({})
    (gluster / "busy").write_text("3")
    assert ensure(QUOTA)["changes"][0] == "quota on"
    assert options(gluster) == ON


NODES = """\
name: real
nodes:
  - {name: master1, address: 10.0.0.11, roles: [master]}
  - {name: storage1, address: 10.0.0.31, roles: [storage]}
  - {name: worker1, address: 10.0.0.21}
  - {name: worker2, address: 10.0.0.22}
"""
DIGESTS = Digests({}, {}, {}, "1")


def access(cluster: Cluster) -> dict[str, str]:
    """What the role tells the volume about who may mount it."""
    variables = inventory(cluster, DIGESTS, Path("/bundle")).variables | {
        "role_path": "",
        "atoll_node": cluster.nodes[0],
    }
    driver = (TREE / "roles/storage/templates/glusterfs/driver.yml.j2").read_text("utf-8")
    found: dict[str, str] = yaml.safe_load(jinja2.Template(driver).render(variables))["volume_access"]
    return found


def who_may(gluster: Path) -> dict[str, list[str]]:
    kept = json.loads((gluster / "volume").read_text())["options"]
    return {name: kept[name].split(",") for name in ("auth.ssl-allow", "auth.allow")}


WORKER2 = "  - {name: worker2, address: 10.0.0.22}\n"


@pytest.mark.parametrize(
    ("instead", "stands"),
    [(WORKER2.replace("}", ", fenced: true}"), True), ("", False)],
    ids=["fenced", "deleted, with nothing on it"],
)
def test_a_node_that_left_the_cluster_is_let_in_no_more_and_the_others_stay_connected(
    gluster: Path, ensure: Any, instead: str, stands: bool
) -> None:
    """By the plan, the role and its module; that GlusterFS then cuts it off is seen on the lab."""
    before = loads(NODES, installed=True)
    after = loads(NODES.replace(WORKER2, instead), installed=True)
    ensure({}, options=access(before))
    assert "worker2" in who_may(gluster)["auth.ssl-allow"]
    seen = done(plan(before, None, Observations(), DIGESTS), Observations())
    if not stands:
        seen = Observations({**seen.nodes, "worker2": Seen()}, seen.cluster)
    made = plan(after, before, seen, DIGESTS)
    assert made.blocked == (), "apply refuses this"
    steps = [(step.phase, step.node, step.action) for step in made.steps]
    assert ("volume", "storage1", "apply") in steps, "nobody takes the node that left off the volume's list"
    expected = ["options auth.allow, auth.ssl-allow"]  # no stop: that would cut everybody off
    assert ensure({}, check=True, options=access(after))["changes"] == expected, "verify does not see who left"
    assert ensure({}, options=access(after))["changes"] == expected
    names = ["master1", "storage1", "worker1"]
    assert who_may(gluster) == {"auth.ssl-allow": names, "auth.allow": ["10.0.0.11", "10.0.0.31", "10.0.0.21"]}
    assert ensure({}, options=access(after))["changes"] == []


@pytest.mark.parametrize("check", [False, True])
def test_an_option_that_would_not_come_to_mounts_is_refused(gluster: Path, ensure: Any, check: bool) -> None:
    """They read a file of their own: what glusterd writes for its clients comes to nobody."""
    lost = {"performance.cache-size": "1GB", "client.event-threads": "4", "cluster.lookup-optimize": "on"}
    given = {"network.ping-timeout": "10", "server.event-threads": "4", "storage.reserve": "2"}
    message = ensure({}, options={**given, **lost}, fails=True, check=check)["msg"]
    assert f"would not see {', '.join(sorted(lost))}: take that out of" in message, "an option is lost in silence"
    assert not (gluster / "volume").exists()
    ensure({}, options=given, check=check)
    ensure({}, options=access(loads(NODES, installed=True)), check=check)


ROGUE = {"evil": {"bricks": ["127.0.0.1:/etc"], "started": True}}


def test_a_peer_and_a_volume_that_nobody_wanted_are_told_by_a_check_and_removed_by_an_apply(
    gluster: Path, ensure: Any
) -> None:
    assert ensure(QUOTA)["unknown"] == []
    (gluster / "peers").write_text(json.dumps([["10.0.0.22", "127.0.0.1"]]))
    (gluster / "others").write_text(json.dumps(ROGUE))
    there = ["the peer 10.0.0.22", "the volume evil (127.0.0.1:/etc)"]
    checked = ensure(QUOTA, check=True)
    assert checked["unknown"] == there, "verify does not name the peer and the volume that nobody wanted"
    assert checked["changes"] == [f"without {one}" for one in there]
    assert told(gluster, "peer detach") + told(gluster, "volume delete") == [], "a check changes nothing"
    applied = ensure(QUOTA)
    assert (applied["unknown"], applied["changed"]) == (there, True)
    assert told(gluster, "peer detach") == ["peer detach 10.0.0.22 force"], "apply leaves a peer that nobody wanted"
    assert told(gluster, "volume delete") == ["volume delete evil"], "apply leaves a volume that nobody wanted"
    assert told(gluster, "volume stop") == ["volume stop evil force"], "the volume of user data was stopped"
    assert (gluster / "volume").exists()
    assert ensure(QUOTA, check=True)["unknown"] == []


def test_a_peer_that_has_a_brick_of_its_own_is_detached_behind_its_volume(gluster: Path, ensure: Any) -> None:
    (gluster / "peers").write_text(json.dumps([["10.0.0.22"]]))
    (gluster / "others").write_text(json.dumps({"evil": {"bricks": ["10.0.0.22:/x"], "started": False}}))
    assert ensure({})["unknown"] == ["the peer 10.0.0.22", "the volume evil (10.0.0.22:/x)"]
    assert json.loads((gluster / "peers").read_text()) == []
    assert ensure({}, check=True)["unknown"] == []


def test_a_peer_that_takes_the_name_of_a_server_is_nobody_that_was_wanted(gluster: Path, ensure: Any) -> None:
    """Of two peers with the address of one server, either may be the one that was wanted."""
    known = [["10.0.0.32", "storage2"], ["10.0.0.33"], ["10.0.0.22", "10.0.0.33"], ["10.0.0.31"]]

    def unknown() -> list[str]:
        found: list[str] = ensure({}, check=True, servers=("10.0.0.31", "10.0.0.32", "10.0.0.33"))["unknown"]
        return found

    (gluster / "peers").write_text(json.dumps(known))
    assert unknown() == ["the peer 10.0.0.22", "the peer 10.0.0.31"]
    (gluster / "peers").write_text(json.dumps([*known[:2], ["10.0.0.33"]]))
    assert unknown() == ["the peer 10.0.0.33"]
    (gluster / "peers").write_text(json.dumps(known[:2]))
    assert unknown() == []


def test_a_peer_that_only_said_hello_is_no_hiding_place_and_glusterd_does_not_die_of_it(
    gluster: Path, ensure: Any, tmp_path: Path
) -> None:
    """GlusterFS 10.3 tells no peers at all then, and ends when such a one is to be detached."""
    ensure({})
    (gluster / "peers").write_text("null")
    assert ensure({}, check=True)["unknown"] == ["peers that glusterd does not name"]
    half = tmp_path / "glusterd/peers/10.0.0.22"
    half.parent.mkdir(parents=True)
    half.write_text("uuid=00000000-0000-0000-0000-000000000000\nstate=8\nhostname1=10.0.0.22\n")
    (half.parent / "1111").write_text("uuid=11111111-2222-3333-4444-555555555555\nstate=3\nhostname1=10.0.0.32\n")
    there = ["the peer 10.0.0.22, which only said hello"]
    assert ensure({}, check=True)["unknown"] == there
    assert half.exists()
    assert ensure({})["unknown"] == there
    assert told(gluster, "systemctl") == ["systemctl restart glusterd.service"]
    assert [file.name for file in half.parent.iterdir()] == ["1111"]
    assert ensure({}, check=True)["unknown"] == []


@pytest.mark.parametrize("stays", [["10.0.0.22"], ["evil"]])
def test_what_nobody_wanted_and_cannot_be_removed_fails_with_words(
    gluster: Path, ensure: Any, stays: list[str]
) -> None:
    (gluster / "peers").write_text(json.dumps([["10.0.0.22"]]))
    (gluster / "others").write_text(json.dumps(ROGUE))
    (gluster / "stays").write_text(json.dumps(stays))
    message = ensure({}, fails=True)["msg"]
    assert stays[0] in message, "an apply ends well beside what nobody wanted"
    assert ("Some of the peers are down" in message) == (stays == ["evil"])
    assert "fence that node" in message
    assert not (gluster / "volume").exists(), "it went on beside them"


def test_verify_names_what_nobody_wanted_and_says_what_to_do() -> None:
    tasks = yaml.safe_load((TREE / "roles/storage/tasks/glusterfs/verify_volume.yml").read_text("utf-8"))
    judged = tasks[-1]["ansible.builtin.assert"]
    assert "storage_volume.unknown | default([]) | length == 0" in judged["that"], "verify lets strangers be"
    said = jinja2.Template(judged["fail_msg"]).render(
        storage_volume={"changes": ["without the volume evil"], "unknown": ["the peer 10.0.0.22", "the volume evil"]}
    )
    assert "Nobody wanted the peer 10.0.0.22, the volume evil" in said
    assert "Fence that node" in said
    assert "Nobody wanted" not in jinja2.Template(judged["fail_msg"]).render(storage_volume={"open": ["x"]})
