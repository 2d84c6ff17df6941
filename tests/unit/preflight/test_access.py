"""Needs OpenSSH's client. What ssh says is understood; host keys are pinned, never replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from installer.cluster import Cluster, known_hosts, loads
from installer.preflight import host_keys
from installer.preflight.access import pin_declared, refusal, ssh_arguments
from installer.preflight.errors import PreflightError
from installer.preflight.host_keys import Shown
from installer.ssh import known_hosts as pins
from installer.ssh.keys import ensure_cluster_key, make_key

OLD = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG3NlRdmv/oCdil9xVu8pF6duv+wH+DQmHYEwmM/6mC4"
NEW = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINnmBJtD3uIL88Qfv+2sD5Ut4ArmUuPDcF9V0jBTn9oW"
CHANGED = """\
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
The fingerprint for the ED25519 key sent by the remote host is
SHA256:CzTaZqIITjptlHioMldWJPTSjB3pdhb5YPuCBkPHY3I.
Host key verification failed.
"""
# Shows the keys in a folder, keeps to the options, and goes its way through a ProxyCommand like OpenSSH.
FAKE_SSH = """\
#!{python}
import shlex, subprocess, sys
from pathlib import Path

words, options, port = sys.argv[1:], {{}}, "22"
while words and words[0].startswith("-"):
    flag = words.pop(0)
    value = "" if flag == "-T" else words.pop(0)
    if flag == "-o":
        options.setdefault(*value.split("=", 1))
    port = value if flag == "-p" else port
host = words[0].rpartition("@")[2]
place = host if port == "22" else f"[{{host}}]:{{port}}"
if "ProxyCommand" in options and subprocess.run(shlex.split(options["ProxyCommand"])).returncode:
    sys.exit("Connection closed by UNKNOWN port 65535")
shown = Path('{keys}', place).read_text()
known = Path(options["UserKnownHostsFile"])
lines = dict(line.split(" ", 1) for line in known.read_text().splitlines()) if known.exists() else {{}}
if place not in lines and options["StrictHostKeyChecking"] == "accept-new":
    known.write_text(f"{{place}} {{shown}}\\n")
elif lines.get(place) != shown:
    sys.exit(f"REMOTE HOST IDENTIFICATION HAS CHANGED\\nHost key for {{place}} has changed")
"""


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path))
    return loads(
        "name: house\nssh: {user: admin, port: 2222, jump: gate}\nstorage: {driver: local}\n"
        "nodes: [{name: m1, address: 192.0.2.11, roles: [master, worker]}]\n",
        installed=False,
    )


@pytest.mark.parametrize(
    ("said", "check", "evidence"),
    [
        (CHANGED, "ssh.host_key", "SHA256:CzTaZqIITjptlHioMldWJPTSjB3pdhb5YPuCBkPHY3I"),
        (
            "No ED25519 host key is known for 192.0.2.11 and you have requested strict checking.",
            "ssh.host_key",
            "nobody",
        ),
        ("admin@192.0.2.11: Permission denied (publickey).", "ssh.key", "user `admin`"),
        ("ssh: connect to host 192.0.2.11 port 2222: Connection refused", "ssh.reachable", "Connection refused"),
        ("ssh: connect to host 192.0.2.11 port 2222: No route to host", "ssh.reachable", "No route"),
        ("", "ssh.reachable", "no answer"),
    ],
)
def test_each_refusal_of_ssh_has_its_own_remedy(cluster: Cluster, said: str, check: str, evidence: str) -> None:
    found = refusal(cluster, cluster.node("m1"), said)
    assert found.check == check
    assert evidence in found.evidence
    assert found.severity == "error"
    assert found.remedy


def test_ssh_asks_nothing_trusts_only_the_pinned_keys_and_goes_the_declared_way(cluster: Cluster) -> None:
    arguments = ssh_arguments(cluster, cluster.node("m1"))
    for wanted in ("BatchMode=yes", "StrictHostKeyChecking=yes", "UpdateHostKeys=no"):
        assert wanted in arguments
    assert f"UserKnownHostsFile={known_hosts(cluster)}" in arguments
    assert arguments[-3:] == ["-p", "2222", "admin@192.0.2.11"]


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of host keys by address, and an `ssh` that learns them as OpenSSH does, by ProxyCommand too."""
    keys, programs = tmp_path / "machines", tmp_path / "programs"
    for folder in (keys, programs):
        folder.mkdir()
    (programs / "ssh").write_text(FAKE_SSH.format(python=sys.executable, keys=keys))
    (programs / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    return keys


def test_the_key_of_a_jump_host_is_shown_and_pinned_before_the_nodes_behind_it(
    cluster: Cluster, machines: Path
) -> None:
    (machines / "gate").write_text(OLD)
    (machines / "[192.0.2.11]:2222").write_text(NEW)
    shown = host_keys.look(cluster, cluster.nodes)
    assert [(one.node, one.state, one.key) for one in shown] == [("gate", "new", OLD), ("m1", "new", NEW)]
    assert not known_hosts(cluster).exists()
    host_keys.pin(cluster, shown)
    assert pins.read(known_hosts(cluster)) == {"gate": OLD, "[192.0.2.11]:2222": NEW}
    assert {one.state for one in host_keys.look(cluster, cluster.nodes)} == {"pinned"}


def test_another_machine_at_the_jump_hosts_name_is_refused_and_so_is_the_way_through_it(
    cluster: Cluster, machines: Path
) -> None:
    pins.write(known_hosts(cluster), {"gate": OLD})
    (machines / "gate").write_text(NEW)
    (machines / "[192.0.2.11]:2222").write_text(NEW)
    gate, node = host_keys.look(cluster, cluster.nodes)
    assert (gate.state, node.state) == ("changed", "unreachable")
    assert pins.fingerprint(OLD) in gate.evidence
    assert "./atoll enrol --forget gate" in gate.remedy
    assert "gate shows" in node.evidence
    host_keys.pin(cluster, [gate, node])
    assert pins.read(known_hosts(cluster)) == {"gate": OLD}
    assert host_keys.forget(cluster, [], ["gate"]) == ["gate"]


def test_what_stands_in_the_way_at_the_jump_host_is_not_blamed_on_the_node(cluster: Cluster) -> None:
    closed = "\nConnection closed by UNKNOWN port 65535\n"
    node = cluster.node("m1")
    unknown = refusal(cluster, node, "No ED25519 host key is known for gate and you have requested strict checking.")
    assert "the jump host gate port 22" in unknown.evidence
    assert "host_key" not in unknown.remedy
    assert "the jump host gate" in refusal(cluster, node, "ops@gate: Permission denied (publickey)." + closed).evidence
    refused = "ssh: connect to host gate port 22: Connection refused"
    assert refusal(cluster, node, refused + closed).evidence == f"the jump host gate port 22: {refused}"
    behind = refusal(cluster, node, "channel 0: open failed: connect failed: No route to host" + closed)
    assert behind.evidence.startswith("192.0.2.11 port 2222: channel 0")


def test_a_fingerprint_is_the_one_that_openssh_shows(tmp_path: Path) -> None:
    make_key(tmp_path / "key", "me")
    shown = subprocess.run(
        ["ssh-keygen", "-lf", tmp_path / "key.pub"], capture_output=True, text=True, timeout=30, check=True
    )
    assert pins.fingerprint((tmp_path / "key.pub").read_text("utf-8")) == shown.stdout.split()[1]


def test_the_clusters_key_is_made_once_and_only_for_its_owner(tmp_path: Path) -> None:
    key = tmp_path / "ssh" / "id_ed25519"
    ensure_cluster_key(key, "house")
    made = key.read_text("utf-8")
    assert oct(key.stat().st_mode)[-3:] == "600"
    assert oct(key.parent.stat().st_mode)[-3:] == "700"
    ensure_cluster_key(key, "house")
    assert key.read_text("utf-8") == made
    assert sorted(path.name for path in key.parent.iterdir()) == ["id_ed25519", "id_ed25519.pub"]


def test_pinned_keys_survive_writing_and_reading(tmp_path: Path) -> None:
    path = tmp_path / "ssh" / "known_hosts"
    assert pins.read(path) == {}
    pins.write(path, {"192.0.2.11": OLD, "[192.0.2.12]:2222": NEW})
    assert pins.read(path) == {"192.0.2.11": OLD, "[192.0.2.12]:2222": NEW}
    assert pins.host_pattern("192.0.2.12", 2222) == "[192.0.2.12]:2222"
    assert [pins.address_of(one) for one in pins.read(path)] == ["192.0.2.11", "192.0.2.12"]


def test_only_new_keys_are_pinned_and_a_pinned_one_is_never_replaced(cluster: Cluster) -> None:
    place = "[192.0.2.11]:2222"
    host_keys.pin(cluster, [Shown("m1", "192.0.2.11", "new", OLD)])
    assert pins.read(known_hosts(cluster)) == {place: OLD}
    host_keys.pin(cluster, [Shown("m1", "192.0.2.11", "changed", NEW), Shown("m1", "192.0.2.11", "new", NEW)])
    assert pins.read(known_hosts(cluster)) == {place: OLD}
    assert host_keys.forget(cluster, cluster.nodes) == ["m1"]
    assert pins.read(known_hosts(cluster)) == {}


def test_a_key_in_cluster_yaml_is_pinned_and_cannot_be_forgotten(tmp_path: Path, cluster: Cluster) -> None:
    node = cluster.node("m1").model_copy(update={"host_key": f"{NEW} root@m1"})
    declared = cluster.model_copy(update={"nodes": [node]})
    pins.write(known_hosts(cluster), {"[192.0.2.11]:2222": OLD})
    pin_declared(declared)
    assert pins.read(known_hosts(cluster)) == {"[192.0.2.11]:2222": NEW}
    with pytest.raises(PreflightError, match="itself names"):
        host_keys.forget(declared, declared.nodes)


def test_a_server_that_does_not_answer_is_unreachable(cluster: Cluster) -> None:
    direct = cluster.model_copy(update={"nodes": [cluster.node("m1").model_copy(update={"address": "127.0.0.1"})]})
    direct = direct.model_copy(update={"ssh": direct.ssh.model_copy(update={"jump": None, "port": 1})})
    (shown,) = host_keys.look(direct, direct.nodes)
    assert shown.state == "unreachable"
    assert "refused" in shown.evidence
