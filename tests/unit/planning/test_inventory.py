"""The inventory: what Ansible sees of a cluster.yaml, from anywhere, with a plan and without."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import EXAMPLE, TREE, Cluster, known_hosts, loads, own_key, reference
from installer.planning import Digests, Observations, plan
from installer.planning.classic import FILE as CLASSIC
from installer.planning.inventory import inventory, ssh_arguments

BIN = Path(sys.executable).parent
ANSIBLE_OWN = {"ansible_inventory_sources", "inventory_file", "inventory_dir"}
SHOW = """\
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.copy:
        content: "{{ {'groups': groups, 'hosts': shown} | to_json }}"
        dest: "{{ lookup('ansible.builtin.env', 'SHOWN') }}"
        mode: "0600"
      vars:
        shown: "{{ dict(groups.all | zip(groups.all | map('extract', hostvars) | map('dict2items')
          | map('rejectattr', 'key', 'in', ['groups', 'hostvars', 'vars']) | map('items2dict'))) }}"
      delegate_to: localhost
      connection: local
      run_once: true
"""


def ansible(program: str, *arguments: str, at: Path = TREE, **environment: str) -> str:
    done = subprocess.run(
        [str(BIN / program), *arguments],
        cwd=at,
        env={**os.environ, "ANSIBLE_CONFIG": str(TREE / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def seen_by_ansible(source: Path, folder: Path) -> dict[str, Any]:
    (folder / "show.yml").write_text(SHOW)
    shown = folder / f"{source.name}.json"
    ansible("ansible-playbook", "-i", str(source), str(folder / "show.yml"), at=folder, SHOWN=str(shown))
    found: dict[str, Any] = json.loads(shown.read_text())
    return found


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ATOLL_BUNDLE", str(tmp_path / "bundle"))
    monkeypatch.setenv("ANSIBLE_LOCAL_TEMP", str(tmp_path / "ansible"))
    return tmp_path


def test_the_graph_shows_roles_and_phases_from_the_tree_and_from_elsewhere(state: Path) -> None:
    inside = ansible("ansible-inventory", "-i", "cluster.example.yaml", "--graph")
    outside = ansible("ansible-inventory", "-i", str(EXAMPLE), "--graph", at=state)
    assert inside == outside
    # ./atoll makes its environment so that Ansible needs no setting anywhere.
    bare = {name: value for name, value in os.environ.items() if name != "ANSIBLE_CONFIG"}
    program = [str(BIN / "ansible-inventory"), "-i", str(EXAMPLE), "--graph"]
    assert subprocess.run(program, cwd=state, env=bare, capture_output=True, text=True).stdout == inside
    play = ["ansible-playbook", "-i", str(EXAMPLE), str(TREE / "playbooks" / "apply.yml"), "--syntax-check"]
    assert "apply.yml" in ansible(*play, at=state)
    for line in ("@masters:", "@accelerated:", "@phase_control_plane:", "@planned:"):
        assert line in inside


def test_the_plugin_takes_a_file_of_any_name_and_leaves_others_alone(state: Path) -> None:
    (state / "factory.yaml").write_text(EXAMPLE.read_text())
    (state / "other.yaml").write_text("all: {hosts: {a: {}}}\n")
    assert "@phase_host:" in ansible("ansible-inventory", "-i", str(state / "factory.yaml"), "--graph")
    other = ["-i", str(state / "other.yaml"), "--graph"]
    assert "|--a" in ansible("ansible-inventory", *other, ANSIBLE_INVENTORY_ENABLED="atoll,yaml")


def test_a_mistake_in_the_file_is_told_as_validate_tells_it(state: Path) -> None:
    broken = TREE / "tests" / "broken" / "not_an_address.yaml"
    (state / "cluster.yaml").write_text(broken.read_text())
    done = subprocess.run(
        [str(BIN / "ansible-inventory"), "-i", str(state / "cluster.yaml"), "--graph"],
        env={**os.environ, "ANSIBLE_CONFIG": str(TREE / "ansible.cfg")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "cluster.yaml:4: node `worker1`: `address`: `10.0.0.321` is not an IPv4 address." in done.stderr


def test_the_classic_inventory_gives_the_same_groups_and_variables(state: Path) -> None:
    ours, classic = seen_by_ansible(EXAMPLE, state), seen_by_ansible(CLASSIC, state)
    assert {name: set(members) for name, members in ours["groups"].items()} == {
        name: set(members) for name, members in classic["groups"].items()
    }
    not_compared = {"atoll_input_hashes", "atoll_cache"}
    for host, variables in ours["hosts"].items():
        names = {name for name in variables.keys() | classic["hosts"][host].keys() if name not in ANSIBLE_OWN}
        for name in names - not_compared:
            assert variables[name] == classic["hosts"][host][name], f"{host}: {name}"


def test_the_example_of_a_classic_inventory_is_up_to_date() -> None:
    before = CLASSIC.read_text()
    code = "from installer.planning import classic; classic.os.environ['ATOLL_STATE'] = '/the-state'; "
    code += "from installer.cluster import reference; print(classic.text(reference()), end='')"
    made = subprocess.run([sys.executable, "-c", code], cwd=TREE, capture_output=True, text=True, check=True)
    assert made.stdout == before, "run .venv/bin/python -m installer.planning.playbook"


def test_with_a_plan_only_its_nodes_are_in_the_groups(state: Path, digests: Digests) -> None:
    cluster = reference()
    made = plan(cluster, None, Observations(), digests).only(["host", "node"], ["worker2"])
    made.save(state / "plan.json")
    listed = json.loads(ansible("ansible-inventory", "-i", str(EXAMPLE), "--list", ATOLL_PLAN=str(state / "plan.json")))
    assert listed["phase_host"]["hosts"] == ["worker2"]
    assert listed["phase_node"]["hosts"] == ["worker2"]
    assert "phase_queue" not in listed or not listed["phase_queue"].get("hosts")
    assert listed["planned"]["hosts"] == ["worker2"]


SPLIT = """\
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.copy:
        content: "{{ [written, joined, sum, lookup('ansible.builtin.template', 'nfs.j2')] | to_json }}"
        dest: "{{ lookup('ansible.builtin.env', 'SHOWN') }}"
        mode: "0600"
      vars:
        written: "{{ smtp_user }}"
        joined: "{{ storage_nfs.options }}{{ storage_nfs.options }} 6 * 7 {{ '}}' }}"
        sum: "{{ storage_nfs.options ~ storage_nfs.options ~ ' 6 * 7 }}' }}"
      delegate_to: localhost
      connection: local
      run_once: true
"""


def test_a_list_of_the_inventory_shows_plain_values(state: Path) -> None:
    listed = ansible("ansible-inventory", "-i", str(EXAMPLE), "--list")
    assert "__ansible" not in listed
    assert json.loads(listed)["_meta"]["hostvars"]["master1"]["atoll_node"]["name"] == "master1"


@pytest.mark.parametrize("written", ["{{ 6 * 7 }}{% set a = 1 %}{# a #}", "#jinja2: trim_blocks: True"])
def test_what_a_user_writes_is_never_evaluated(state: Path, text: str, written: str) -> None:
    # Nor is what becomes a template only by joining two values, of which neither is one.
    (state / "cluster.yaml").write_text(
        f"{text}smtp: {{host: mail, sender: a@b.example, user: {written!r}, password_file: /nowhere}}\n"
        "storage: {driver: nfs, nfs: {server: s, path: /p, options: '{'}}\n"
    )
    (state / "nfs.j2").write_text("{{ storage_nfs.options }}{{ storage_nfs.options }} 6 * 7 {{ '}}' }}")
    (state / "split.yml").write_text(SPLIT)
    shown = state / "shown.json"
    ansible("ansible-playbook", "-i", str(state / "cluster.yaml"), str(state / "split.yml"), at=state, SHOWN=str(shown))
    assert json.loads(shown.read_text()) == [written, *["{{ 6 * 7 }}"] * 3]
    listed = json.loads(ansible("ansible-inventory", "-i", str(state / "cluster.yaml"), "--list"))
    assert listed["_meta"]["hostvars"]["master1"]["smtp_user"] == {"__ansible_unsafe": written}


def test_hashes_of_the_inventory_are_those_of_the_plan(cluster: Cluster, digests: Digests) -> None:
    made = plan(cluster, None, Observations(), digests)
    hosts = inventory(cluster, digests, Path("/bundle")).hosts
    for step in made.steps:
        if step.action == "apply":
            assert hosts[step.node]["atoll_input_hashes"][step.phase] == step.input_hash


def test_nodes_in_maintenance_are_in_no_phase(text: str, digests: Digests) -> None:
    resting = loads(text.replace("address: 10.0.0.22", "address: 10.0.0.22, maintenance: true"), installed=True)
    made = inventory(resting, digests, Path("/bundle"))
    assert "worker2" in made.groups["workers"]
    assert all(
        "worker2" not in names for group, names in made.groups.items() if group.startswith(("phase_", "planned"))
    )


def test_cluster_wide_phases_move_to_a_master_that_is_not_in_maintenance(text: str, digests: Digests) -> None:
    more = "".join(f"  - {{name: master{n}, address: 10.0.0.1{n}, roles: [master]}}\n" for n in (2, 3))
    three = text.replace("10.0.0.11, ", "10.0.0.11, maintenance: true, ") + more
    made = inventory(loads(three, installed=True), digests, Path("/bundle"))
    assert made.groups["first_master"] == made.groups["phase_queue"] == ["master2"]
    assert made.variables["atoll_first_master"] == "master2"
    assert made.variables["atoll_portal_address"] == "10.0.0.11"


def test_devices_of_the_first_virtual_cluster_are_all_that_there_are(
    cluster: Cluster, text: str, digests: Digests
) -> None:
    variables = inventory(cluster, digests, Path("/bundle")).variables
    assert variables["platform_virtual_clusters"][0]["devices"] == {"nvidia_gpu_amd64": 8}
    shut_out = loads(text.replace("address: 10.0.0.21", "address: 10.0.0.21, fenced: true"), installed=True)
    (default,) = inventory(shut_out, digests, Path("/bundle")).variables["platform_virtual_clusters"]
    assert default["devices"] == {"nvidia_gpu_amd64": 0}, "tasks wait for the cards of a node that is shut out"
    assert variables["atoll_device_types"][0]["resource"] == "nvidia.com/gpu"
    assert set(variables["atoll_resource_limit"]) == {"cpu", "nvidia_gpu_amd64", "request_ratio"}


def test_each_device_type_has_the_disk_that_it_is_given_or_the_one_of_all(text: str, digests: Digests) -> None:
    limits = """
platform: {task_local_disk: 30Gi}
resource_limit: {nvidia_gpu_amd64: {local_disk: 200Gi, local_disk_request: 50Gi}}
"""
    found = inventory(loads(text + limits, installed=False), digests, Path("/bundle")).variables["atoll_resource_limit"]
    assert (found["cpu"]["local_disk"], found["cpu"]["local_disk_request"]) == ("30Gi", "1Gi")
    own = found["nvidia_gpu_amd64"]
    assert (own["local_disk"], own["local_disk_request"]) == ("200Gi", "50Gi")


@pytest.mark.parametrize(("said", "set_aside"), [("512Mi", "512Mi"), ("512Mi, local_disk_request: 1Mi", "1Mi")])
def test_of_a_small_disk_no_more_is_set_aside_than_there_is(
    text: str, digests: Digests, said: str, set_aside: str
) -> None:
    limits = f"resource_limit: {{cpu: {{local_disk: {said}}}}}\n"
    found = inventory(loads(text + limits, installed=False), digests, Path("/bundle")).variables["atoll_resource_limit"]
    assert (found["cpu"]["local_disk"], found["cpu"]["local_disk_request"]) == ("512Mi", set_aside)


def test_host_keys_are_pinned_also_on_the_way_through_a_jump_host(text: str) -> None:
    cluster = loads(text + "ssh: {user: deploy, jump: 'ops@gate:2222'}\n", installed=False)
    arguments = shlex.split(ssh_arguments(cluster, cluster.nodes[0]))
    pinned = f"UserKnownHostsFile={known_hosts(cluster)}"
    assert pinned in arguments
    assert "StrictHostKeyChecking=yes" in arguments
    command = next(argument for argument in arguments if argument.startswith("ProxyCommand="))
    inner = shlex.split(command.removeprefix("ProxyCommand="))
    assert pinned in inner
    assert inner[-1] == "ops@gate"
    assert inner[inner.index("-p") + 1] == "2222"
    assert inner[inner.index("-i") + 1] == str(own_key(cluster))
