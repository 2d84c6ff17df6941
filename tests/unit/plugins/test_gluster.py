"""The volume and its quotas, against a `gluster` that keeps what it is told. Needs nothing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from installer.cluster import TREE, Cluster, loads
from installer.planning import Digests, Observations, done, plan
from installer.planning.inventory import inventory

GLUSTER = f"""#!{sys.executable} -I
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
words = sys.argv[3:]
with open(here + "/calls", "a") as log:
    log.write(" ".join(words) + "\\n")
def answer(inner="", code=0, why=""):
    print("<cliOutput><opRet>%d</opRet><opErrstr>%s</opErrstr>%s</cliOutput>" % (code, why, inner))
    sys.exit(0)
busy = here + "/busy"
if os.path.exists(busy):
    left = int(open(busy).read()) - 1
    open(busy, "w").write(str(left)) if left else os.unlink(busy)
    answer(code=-1, why="Another transaction is in progress for atoll. Please try again after some time.")
kept = here + "/volume"
volume = json.load(open(kept)) if os.path.exists(kept) else None
options = volume["options"] if volume else {{}}
if words[:2] == ["peer", "status"]:
    answer()
if words[1] == "info":
    if volume is None:
        answer(code=-1)
    told = "".join("<option><name>%s</name><value>%s</value></option>" % item for item in options.items())
    told += "<statusStr>%s</statusStr>" % ("Started" if volume["started"] else "Created")
    answer("<volume><brick><name>%s</name></brick>%s</volume>" % (volume["brick"], told))
if words[1] == "status":
    host, path = volume["brick"].split(":")
    brick = "<node><hostname>%s</hostname><path>%s</path><port>1</port><status>1</status></node>" % (host, path)
    answer(brick + "<node><hostname>Quota Daemon</hostname><path>localhost</path><status>1</status></node>")
if words[1] == "create":
    volume = {{"brick": words[3], "started": False, "options": {{}}}}
elif words[1] == "set" and "features.quota" in words:
    answer(code=-1, why="'gluster volume set <VOLNAME> features.quota' is deprecated.")
elif words[1] == "set":
    options.update(zip(words[3::2], words[4::2]))
elif words[1] == "start":
    volume["started"] = True
elif words[1] == "quota" and not volume["started"]:
    answer(code=-1, why="Volume is stopped, start volume before executing quota command.")
elif words[3:] == ["enable"]:
    options.update({{"features.quota": "on", "features.inode-quota": "on", "features.quota-deem-statfs": "on"}})
elif words[3:] == ["disable"]:
    for name in ("soft-timeout", "hard-timeout", "quota-deem-statfs"):
        options.pop("features." + name, None)
    options.update({{"features.quota": "off", "features.inode-quota": "off"}})
json.dump(volume, open(kept, "w"))
answer()
"""
QUOTA = {"features.quota-deem-statfs": "on", "features.soft-timeout": "2", "features.hard-timeout": "1"}


@pytest.fixture
def gluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "gluster"
    folder.mkdir()
    program = folder / "gluster"
    program.write_text(GLUSTER)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


@pytest.fixture
def ensure(run: Any, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = plugin("modules", "atoll_gluster")
    monkeypatch.setattr(module, "BUSY_STEP_S", 0)
    monkeypatch.setattr(module, "open_to_strangers", lambda *_: [])  # nobody listens

    def call(quota: dict[str, str], check: bool = False, options: dict[str, str] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = run(
            "atoll_gluster",
            check=check,
            volume="atoll",
            brick="/srv/brick",
            servers=["127.0.0.1"],
            options=options or {"network.ping-timeout": "10"},
            quota=quota,
            state_directory=str(tmp_path / "state"),
        )
        assert not result.get("failed"), result
        return result

    return call


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


def test_a_node_that_left_the_cluster_is_let_in_no_more_and_the_others_stay_connected(
    gluster: Path, ensure: Any
) -> None:
    """By the plan, the role and its module; that GlusterFS then cuts it off is seen on the lab."""
    before = loads(NODES, installed=True)
    after = loads(NODES.replace("  - {name: worker2, address: 10.0.0.22}\n", ""), installed=True)
    ensure({}, options=access(before))
    assert "worker2" in who_may(gluster)["auth.ssl-allow"]
    seen = done(plan(before, None, Observations(), DIGESTS), Observations())
    steps = [(step.phase, step.node, step.action) for step in plan(after, before, seen, DIGESTS).steps]
    assert ("volume", "storage1", "apply") in steps, "nobody takes the node that left off the volume's list"
    expected = ["options auth.allow, auth.ssl-allow"]  # no stop: that would cut everybody off
    assert ensure({}, check=True, options=access(after))["changes"] == expected, "verify does not see who left"
    assert ensure({}, options=access(after))["changes"] == expected
    names = ["master1", "storage1", "worker1"]
    assert who_may(gluster) == {"auth.ssl-allow": names, "auth.allow": ["10.0.0.11", "10.0.0.31", "10.0.0.21"]}
    assert ensure({}, options=access(after))["changes"] == []
