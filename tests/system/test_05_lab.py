"""Needs root. Lab nodes of this file's own: boot, power, limits, isolation, and nothing left behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.machines import Machines, left_on_this_machine, settled, shell

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="lab nodes need root")
INTERNET = "203.0.113.7"


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    them = Machines(tmp_path_factory.mktemp("labtest"), memory="2Gi")
    them("lab", "down")
    them.started()
    yield them
    them("lab", "down")


def test_a_node_is_a_machine_with_systemd_that_answers_ssh_within_8_seconds(machines: Machines) -> None:
    machines("lab", "poweroff", "one")
    began = time.monotonic()
    machines("lab", "start", "one")
    assert machines.ssh("one", "hostname").strip() == "one"
    assert time.monotonic() - began < 8
    assert machines.ssh("one", "systemctl is-system-running --wait").strip() == "running"
    assert machines.ssh("one", "sudo -n id -u").strip() == "0"


def test_each_node_has_a_key_and_an_identity_of_its_own_and_they_are_pinned(machines: Machines) -> None:
    pinned = machines.known_hosts.read_text("utf-8").splitlines()
    assert [line.split()[0] for line in pinned] == [machines.address("one"), machines.address("two")]
    assert len({line.split()[2] for line in pinned}) == 2
    assert machines.ssh("one", "cat /etc/machine-id") != machines.ssh("two", "cat /etc/machine-id")
    assert oct((machines.state / "ssh" / "id_ed25519").stat().st_mode)[-3:] == "600"
    assert machines.ssh("one", "ls /etc/apt/sources.list.d; cat /etc/apt/sources.list /etc/resolv.conf").strip() == ""


def test_up_leaves_running_nodes_alone(machines: Machines) -> None:
    before = {name: node["pid"] for name, node in machines.status().items()}
    assert machines.started() == []
    assert {name: node["pid"] for name, node in machines.status().items()} == before


def test_a_node_lies_in_its_own_cgroup_of_every_hierarchy_and_has_its_size(machines: Machines) -> None:
    pid = machines.status()["one"]["pid"]
    for line in Path(f"/proc/{pid}/cgroup").read_text("utf-8").splitlines():
        assert line.split(":", 2)[2].startswith("/atoll-lab/labtest/one"), line
    limits = machines.ssh(
        "one", "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null", (0, 1)
    )
    assert str(2 << 30) in limits.split()
    machines.ssh("one", "mkdir /sys/fs/cgroup/pids/trial && rmdir /sys/fs/cgroup/pids/trial")


def test_a_size_that_changes_in_the_file_holds_at_once(machines: Machines) -> None:
    machines.memory = "3Gi"
    assert machines.started() == []
    found = machines.ssh("one", "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max", (0, 1))
    assert str(3 << 30) in found.split()


def test_mounts_are_shared_and_containers_have_a_real_disk(machines: Machines) -> None:
    root = machines.ssh("one", "grep ' / / ' /proc/self/mountinfo")
    assert "shared:" in root
    assert machines.ssh("one", "stat -f -c %T /var/lib/containerd").strip() != "overlayfs"


def test_exec_gives_the_exit_code_and_needs_no_ssh(machines: Machines) -> None:
    machines.run("one", "systemctl", "stop", "ssh")
    try:
        assert machines.run("one", "hostname").strip() == "one"
        machines.run("one", "sh", "-c", "exit 7", ok=(7,))
        assert not machines.status()["one"]["ssh"]
    finally:
        machines.run("one", "systemctl", "start", "ssh")


def test_a_node_cannot_move_the_clock_of_this_machine(machines: Machines) -> None:
    before = time.time()
    machines.ssh("one", "date -s '2001-01-01 00:00:00'", ok=(1,))
    assert abs(time.time() - before) < 60


@pytest.fixture
def internet() -> Iterator[subprocess.Popen[bytes]]:
    """A name space that plays the internet: this machine routes to it, and a server there counts who comes."""
    shell("ip", "netns", "add", "atolltest-internet")
    shell("ip", "link", "add", "atollinet", "type", "veth", "peer", "name", "eth0", "netns", "atolltest-internet")
    shell("ip", "address", "add", "203.0.113.1/24", "dev", "atollinet")
    shell("ip", "link", "set", "atollinet", "up")
    shell("ip", "-n", "atolltest-internet", "address", "add", f"{INTERNET}/24", "dev", "eth0")
    shell("ip", "-n", "atolltest-internet", "link", "set", "eth0", "up")
    shell("ip", "-n", "atolltest-internet", "route", "add", "default", "via", "203.0.113.1")
    rules = "table inet watch { chain input { type filter hook input priority 0; ip saddr 10.78.0.0/16 counter; }; }"
    shell("ip", "netns", "exec", "atolltest-internet", "nft", rules)
    server = subprocess.Popen(
        ["ip", "netns", "exec", "atolltest-internet", "python3", "-m", "http.server", "80"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield server
    finally:
        server.kill()
        server.communicate()
        shell("ip", "link", "delete", "atollinet")
        shell("ip", "netns", "delete", "atolltest-internet")


def _arrived() -> int:
    """Return how many packets of lab nodes came to the internet."""
    rules = shell("ip", "netns", "exec", "atolltest-internet", "nft", "list", "table", "inet", "watch")
    return int(rules.partition("counter packets ")[2].split()[0])


def _reaches(machines: Machines, node: str) -> bool:
    attempt = f"import socket; socket.create_connection(('{INTERNET}', 80), 2)"
    return "out" in machines.ssh(node, f'python3 -c "{attempt}" 2>/dev/null && echo out', ok=(0, 1))


def test_no_node_reaches_the_internet_even_when_it_makes_itself_a_route(
    machines: Machines, internet: subprocess.Popen[bytes]
) -> None:
    assert Path("/proc/sys/net/ipv4/ip_forward").read_text("utf-8").strip() == "1"
    shell("python3", "-c", f"import socket, time; time.sleep(1); socket.create_connection(('{INTERNET}', 80), 5)")
    for node in machines.nodes:
        assert "default" not in machines.ssh(node, "ip route show")
        assert not _reaches(machines, node)
    machines.ssh("one", f"ip route add default via {machines.network}.1")
    try:
        assert not _reaches(machines, "one")
        assert _arrived() == 0
        # The walls hold this back, not the lack of a way: without them the same packet arrives.
        shell("nft", "flush", "chain", "inet", f"atoll_lab_{machines.bridge}", "forward")
        assert _reaches(machines, "one")
        assert _arrived() > 0
    finally:
        machines.ssh("one", "ip route delete default")
    machines.started()
    assert "drop" in shell("nft", "list", "table", "inet", f"atoll_lab_{machines.bridge}")
    assert (
        machines.ssh(
            "one", f"python3 -c \"import socket; socket.create_connection(('{machines.address('two')}', 22), 3)\""
        )
        == ""
    )


def test_a_node_that_lost_its_power_comes_back_with_its_disk(machines: Machines) -> None:
    machines.ssh("two", "echo kept > /var/lib/etcd/file && echo kept > /root/file && sync")
    key = machines.known_hosts.read_text("utf-8")
    machines("lab", "poweroff", "two")
    assert machines.states() == {"one": "running", "two": "stopped"}
    machines("lab", "status", ok=(1,))
    assert machines.started() == ["two"]
    assert machines.ssh("two", "cat /var/lib/etcd/file /root/file").split() == ["kept", "kept"]
    assert machines.known_hosts.read_text("utf-8") == key


def test_a_node_that_reboots_comes_back_by_itself(machines: Machines) -> None:
    before = machines.status()["two"]["pid"]
    machines.ssh("two", "echo kept > /root/rebooted && sync && systemctl reboot", ok=(0, 255))
    deadline = time.monotonic() + 20
    while (now := machines.status()["two"])["pid"] in (None, before) or not now["ssh"]:
        assert time.monotonic() < deadline, now
        time.sleep(0.2)
    assert machines.ssh("two", "cat /root/rebooted").strip() == "kept"
    assert machines.ssh("two", "systemctl is-system-running --wait").strip() == "running"


def test_a_new_key_of_the_cluster_is_let_in_by_running_nodes(machines: Machines) -> None:
    shutil.rmtree(machines.state)
    assert machines.started() == []
    assert machines.ssh("one", "hostname").strip() == "one"


def test_a_node_with_a_frozen_process_loses_its_power_too(machines: Machines) -> None:
    if not Path("/sys/fs/cgroup/freezer").exists():
        pytest.skip("frozen processes of cgroup v2 die like others")
    freezer = "/sys/fs/cgroup/freezer/frozen"
    steps = f"mkdir {freezer}; (setsid sleep 1000 >/dev/null 2>&1 & echo $! > {freezer}/tasks)"
    machines.ssh("two", f"{steps}; echo FROZEN > {freezer}/freezer.state")
    machines("lab", "poweroff", "two")
    assert machines.states()["two"] == "stopped"
    machines("lab", "start", "two")


def test_an_init_without_its_supervisor_is_found_and_ended(machines: Machines) -> None:
    (supervisor,) = machines.supervisors("two")
    os.kill(supervisor, signal.SIGKILL)
    before = machines.status()["two"]["pid"]
    assert machines.states()["two"] == "abandoned"
    assert machines.started() == ["two"]
    assert not _runs(before)
    assert len(machines.supervisors("two")) == 1


def test_a_bridge_that_was_removed_under_running_nodes_is_made_again(machines: Machines) -> None:
    before = {name: node["pid"] for name, node in machines.status().items()}
    address = Path("/sys/class/net", machines.bridge, "address")
    known = address.read_text("utf-8")
    shell("ip", "link", "delete", machines.bridge)
    assert machines.started() == []
    assert address.read_text("utf-8") == known
    assert machines.ssh("one", "hostname").strip() == "one"
    assert {name: node["pid"] for name, node in machines.status().items()} == before


def test_a_node_added_to_the_file_is_the_only_one_that_is_started(machines: Machines) -> None:
    before = {name: node["pid"] for name, node in machines.status().items()}
    machines.nodes.append("three")
    assert machines.started() == ["three"]
    after = {name: node["pid"] for name, node in machines.status().items()}
    assert {name: after[name] for name in before} == before
    machines("lab", "down", "three")
    machines.nodes.remove("three")
    assert machines.states() == {"one": "running", "two": "running"}


def test_the_command_that_started_nodes_may_be_killed_at_any_moment(machines: Machines) -> None:
    seed = int(os.environ.get("ATOLL_TEST_SEED", str(random.SystemRandom().randrange(10**6))))
    print(f"seed {seed}")
    moments = random.Random(seed)
    for _ in range(4):
        for node in machines.nodes:
            machines("lab", "poweroff", node)
        process = machines.start("lab", "up")
        time.sleep(moments.uniform(0.1, 1.2))  # a random moment is the point
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        machines.started()
        assert machines.states() == {"one": "running", "two": "running"}
        assert [len(machines.supervisors(node)) for node in machines.nodes] == [1, 1]
        assert machines.ssh("two", "hostname").strip() == "two"


def test_two_labs_stand_side_by_side(machines: Machines, tmp_path: Path) -> None:
    before = left_on_this_machine()
    other = Machines(tmp_path, name="labtest-b", bridge="atolllabtest2", network="10.78.1", nodes=["one", "two"])
    try:
        assert other.started() == ["one", "two"]
        assert other.ssh("one", "ip -4 -br address show eth0").split()[2] == "10.78.1.11/24"
        attempt = f"import socket; socket.create_connection(('{machines.address('one')}', 22), 2)"
        other.ssh("one", f'ip route add {machines.network}.0/24 via 10.78.1.1; python3 -c "{attempt}"', ok=(1,))
    finally:
        other("lab", "down")
    assert settled(before) == before
    assert machines.ssh("one", "hostname").strip() == "one"


def test_what_belongs_to_somebody_else_is_refused_and_kept(machines: Machines, tmp_path: Path) -> None:
    shell("ip", "link", "add", "atollforeign", "type", "bridge")
    try:
        taken = Machines(tmp_path, name="labtest-c", bridge="atollforeign", network="10.78.2", nodes=["one", "two"])
        assert "belongs to something else" in taken("lab", "up", ok=(1,))
        taken("lab", "down")
        assert Path("/sys/class/net/atollforeign").exists()
        overlapping = Machines(tmp_path, name="labtest-d", bridge="atolllabtest4", network=machines.network)
        assert "overlaps" in overlapping("lab", "up", ok=(1,))
        assert not Path("/sys/class/net/atolllabtest4").exists()
    finally:
        shell("ip", "link", "delete", "atollforeign")


@pytest.mark.parametrize("end", ["down", "kill", "reboot"])
def test_down_leaves_nothing_behind(tmp_path: Path, end: str) -> None:
    before = left_on_this_machine()
    machines = Machines(tmp_path, name="labtest-e", bridge="atolllabtest5", network="10.78.5")
    try:
        machines.started()
        machines.ssh("one", "setsid sleep 1000 >/dev/null 2>&1 & ip link add inside type bridge")
        if end == "kill":
            for node in machines.nodes:
                for pid in machines.supervisors(node):
                    os.kill(pid, signal.SIGKILL)
        if end == "reboot":
            _reboot(machines)
    finally:
        machines("lab", "down")
    assert settled(before) == before
    assert machines.known_hosts.read_text("utf-8") == ""
    machines("lab", "down")
    assert settled(before) == before


def test_half_a_lab_is_told_to_those_it_hinders_taken_up_again_and_removed_by_its_name(tmp_path: Path) -> None:
    half = Machines(tmp_path, name="labtest-g", bridge="atolllabtest7", network="10.78.7", nodes=["h-one", "two"])
    way_out = "./atoll lab down --name labtest-g"
    try:
        half.started()
        for node in half.nodes:
            for pid in half.supervisors(node):
                os.kill(pid, signal.SIGKILL)
        for other in (
            Machines(tmp_path, name="labtest-h", bridge="atolllabtest8", network="10.78.7"),
            Machines(tmp_path, name="labtest-h", bridge="atolllabtest7", network="10.78.8"),
            Machines(tmp_path, name="labtest-g-h", bridge="atolllabtest8", network="10.78.8"),
        ):
            said = other("lab", "up", ok=(1,))
            assert "lab `labtest-g`" in said
            assert way_out in said
            assert not Path("/sys/class/net/atolllabtest8").exists()
        assert set(half.states().values()) == {"abandoned"}
        assert half.started() == half.nodes
        (Path("/var/lib/atoll/lab") / half.name / "state.json").write_text("", "utf-8")
        half.file.unlink()
    finally:
        shell(sys.executable, "-m", "installer", *way_out.split()[1:])
    assert not [line for lines in left_on_this_machine().values() for line in lines if "labtest-g" in line]
    assert not Path("/sys/class/net/atolllabtest7").exists()


def test_after_a_reboot_of_this_machine_the_nodes_start_again_with_their_disks(tmp_path: Path) -> None:
    machines = Machines(tmp_path, name="labtest-f", bridge="atolllabtest6", network="10.78.6")
    try:
        machines.started()
        machines.ssh("one", "echo kept > /root/file && sync")
        _reboot(machines)
        assert machines.states() == {"one": "stopped", "two": "stopped"}
        assert machines.started() == ["one", "two"]
        assert machines.ssh("one", "cat /root/file").strip() == "kept"
    finally:
        machines("lab", "down")


def _runs(pid: int) -> bool:
    """Say whether a process runs; one that ended may stay in the table until this machine's init looks."""
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text("utf-8").rpartition(")")[2].split()[0] != "Z"


def _reboot(machines: Machines) -> None:
    """Take away what a reboot of this machine takes away: processes, cgroups, links, name spaces, rules and mounts."""
    for node, about in machines.status().items():
        os.kill(about["pid"], signal.SIGKILL)
        for _ in range(100):
            if not machines.supervisors(node):
                break
            time.sleep(0.1)
        machine = f"atoll-{machines.name}-{node}"
        shell("ip", "netns", "delete", machine)
        shell("umount", f"/var/lib/atoll/lab/{machines.name}/nodes/{node}/root")
    shell(
        "find",
        "/sys/fs/cgroup",
        "-depth",
        "-type",
        "d",
        "-path",
        f"*atoll-lab/{machines.name}*",
        "-exec",
        "rmdir",
        "{}",
        "+",
        ok=(0, 1),
    )
    shell("nft", "delete", "table", "inet", f"atoll_lab_{machines.bridge}")
    shell("ip", "link", "delete", machines.bridge)
