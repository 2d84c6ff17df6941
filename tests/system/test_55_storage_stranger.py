"""Nobody but the nodes of the cluster mounts the volume of user data, and none of them changes it from elsewhere.

Each client is GlusterFS's own, in a name space of its own: a node's programs, with nothing of the node's identity.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from installer.cluster import load
from installer.cluster.drivers import BRICK_PORT
from installer.lab.topology import lab_of
from tests.system.harness import CLUSTER_FILE, Atoll
from tests.unit.plugins.conftest import load as plugin

ADDRESS = "10.79.0.250"
# Loaded once, and not by several threads.
AUTHORITY = plugin("module_utils", "atoll_authority")
ALLOWED = "auth.ssl-allow"
# Private mounts over a node's root: what the client shows, and places for what it writes. A client whom a brick refuses
# has mounted by then, and goes a moment later, and one who reaches no brick waits for it: only who sees a folder of the
# volume was let in.
CLIENT = """
set -e
root=$1 shown=$2 server=$3
mount --make-rprivate /
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for place in run mnt tmp var/log/glusterfs; do mkdir -p "$root/$place"; mount -t tmpfs tmpfs "$root/$place"; done
mkdir -p "$root/var/lib/glusterd"
mount --bind "$shown/ssl" "$root/etc/ssl"
mount --bind "$shown/glusterd" "$root/var/lib/glusterd"
exec chroot "$root" sh -c "$4" "$server"
"""
MOUNT = """
mkdir /mnt/stranger
timeout 20 mount -t glusterfs -o log-file=/tmp/log /etc/atoll/atoll.vol /mnt/stranger
timeout --signal=KILL 20 ls -d /mnt/stranger/home && exit 0
cat /tmp/log
exit 1
"""
IN_CLEAR = "sed 's/ssl-enabled on/ssl-enabled off/' /etc/atoll/atoll.vol > /tmp/clear.vol" + MOUNT.replace(
    "/etc/atoll/atoll.vol", "/tmp/clear.vol"
)
# A call of ONC RPC (RFC 5531) of a procedure that no program has: who has the program says that it has no such.
CALL = """
import socket, ssl, struct, sys

host, port, program, authority, own = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = False
context.load_verify_locations(authority)
context.load_cert_chain(own + ".crt", own + ".key")
try:
    plain = socket.create_connection((host, int(port)), 5)
except OSError:
    sys.exit("no way")
try:
    with context.wrap_socket(plain) as stream:
        stream.settimeout(10)
        call = struct.pack(">10I", 1, 0, 2, int(program), 2, 999, 0, 0, 0, 0)
        stream.sendall(struct.pack(">I", 1 << 31 | len(call)) + call)
        answer = b""
        while len(answer) < 28:
            more = stream.recv(28 - len(answer))
            if not more:
                sys.exit("hung up")
            answer += more
except OSError as error:
    sys.exit(f"hung up: {error}")
print({0: "done", 1: "no such program", 2: "another version", 3: "no such procedure"}[struct.unpack(">7I", answer)[6]])
"""
# Of GlusterFS: what one becomes a peer by, what volumes are made by, and what a client of a brick begins with.
PEERS, VOLUMES, HANDSHAKE = 1238437, 1238433, 14398633


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, timeout=20)


@pytest.fixture
def stranger() -> Iterator[str]:
    """A host of our own on the bridge of the nodes."""
    bridge = yaml.safe_load(CLUSTER_FILE.read_text("utf-8"))["lab"]["bridge"]
    name = f"stranger-{uuid.uuid4().hex[:6]}"
    link = f"st{name[-6:]}"
    ip("netns", "add", name)
    try:
        ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("link", "set", link, "master", bridge, "up")
        ip("-n", name, "address", "add", f"{ADDRESS}/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        yield name
    finally:
        ip("netns", "delete", name)


class Client:
    """Mounts the volume in some network, with what a client of some kind has to show."""

    def __init__(self, atoll: Atoll, folder: Path) -> None:
        self.pki = atoll.state / "pki"
        self.folder = folder  # of folders, so that many may try at once
        self.nodes = {node.name: node for node in lab_of(load(CLUSTER_FILE)).nodes}
        self.server = self.nodes["storage1"].address

    def own(self, kind: str) -> Path:
        """Make the folder of what a client of some kind has to show."""
        shown = self.folder / uuid.uuid4().hex
        (shown / "ssl").mkdir(parents=True)
        (shown / "glusterd").mkdir()
        if kind == "nothing":
            return shown
        (shown / "glusterd/secure-access").write_text("option transport.socket.ssl-cert-depth 1\n")
        ways: dict[str, Callable[[], Path | None]] = {
            "a node": lambda: self.pki / "storage/nodes/worker2",
            "another authority": lambda: self.signed(shown / "pki", "worker2"),
            "a node that left": lambda: self.signed(shutil.copytree(self.pki, shown / "pki"), "left"),
            "another service of the cluster": lambda: self.pki / "registry/nodes/worker2",
            "no certificate": lambda: None,
        }
        made = ways[kind]()
        shutil.copy(self.pki / "storage/issuer.crt", shown / "ssl/glusterfs.ca")
        if made:
            shutil.copy(made.with_suffix(".crt"), shown / "ssl/glusterfs.pem")
            shutil.copy(made.with_suffix(".key"), shown / "ssl/glusterfs.key")
        return shown

    @staticmethod
    def signed(pki: Path, name: str) -> Path:
        AUTHORITY.Pki(pki, "test").certificate(f"storage/nodes/{name}", usages=["server", "client"])
        return pki / "storage/nodes" / name

    def mounts(self, kind: str, network: str) -> tuple[bool, str]:
        return self.does(MOUNT, kind, network, "worker2")

    def manages(self, network: str, command: str, kind: str = "a node") -> tuple[bool, str]:
        """Give a server a command with a worker's certificate. The program is a server's, but it is no secret."""
        script = f'timeout 30 gluster --mode=script --remote-host="$0" {command}'
        return self.does(script, kind, network, "storage1")

    def calls(self, network: str, port: int, program: int) -> str:
        """What a port of the server says to a call of a program, made with a worker's certificate."""
        own, authority = self.pki / "storage/nodes/worker2", self.pki / "storage/issuer.crt"
        words = [sys.executable, "-c", CALL, self.server, port, program, authority, own]
        inside = ["ip", "netns", "exec", network, *map(str, words)]
        done = subprocess.run(inside, capture_output=True, text=True, timeout=30, check=False)
        return (done.stdout + done.stderr).strip()

    def does(self, script: str, kind: str, network: str, programs: str) -> tuple[bool, str]:
        """Whether it succeeds in a network, with the programs of a node, and what it says."""
        shown = self.own(kind)
        root = self.nodes[programs].root
        inside = ["ip", "netns", "exec", network, "unshare", "--mount", "--pid", "--fork", "--kill-child"]
        words = [*inside, "bash", "-c", CLIENT, "client", str(root), str(shown), self.server, script]
        done = subprocess.run(words, capture_output=True, text=True, timeout=90, check=False)
        return done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def client(atoll: Atoll, tmp_path: Path) -> Client:
    return Client(atoll, tmp_path / "shown")


STRANGERS = ("nothing", "no certificate", "another authority", "a node that left", "another service of the cluster")


@pytest.mark.timeout(600)
def test_a_node_mounts_the_volume_and_a_stranger_does_not(client: Client, stranger: str) -> None:
    node = client.nodes["worker2"].machine
    # At a node's place: it is the certificate that counts, not the address. Elsewhere the firewall answers nobody,
    # also with a certificate that was stolen.
    tried = [("a node", node), *((kind, node) for kind in STRANGERS), ("nothing", stranger), ("a node", stranger)]
    with ThreadPoolExecutor(len(tried) + 1) as pool:  # who is refused waits for twenty seconds: all at once
        in_clear = pool.submit(client.does, IN_CLEAR, "a node", node, "worker2")
        came = list(pool.map(lambda each: client.mounts(*each), tried))
    assert not in_clear.result()[0], "the volume is served without TLS"
    let_in = [each for each, (mounted, _) in zip(tried, came, strict=True) if mounted]
    assert let_in == [("a node", node)], f"strangers were let in, or nobody was; a node is told: {came[0][1]}"


def of_volume(atoll: Atoll) -> str:
    """What the server has of the volume and of its peers."""
    gluster = "gluster --mode=script"
    return atoll.node("storage1", "sh", "-c", f"{gluster} volume info atoll && {gluster} pool list").out


@pytest.mark.timeout(180)
def test_a_nodes_certificate_changes_no_option_and_brings_no_peer_from_elsewhere(
    atoll: Atoll, client: Client, stranger: str
) -> None:
    """Glusterd is closed to nodes, who could become peers there, as it is to strangers."""
    node = client.nodes["worker2"].machine
    before = of_volume(atoll)
    (allowed,) = [line.split(": ")[1] for line in before.splitlines() if line.startswith(ALLOWED)]
    # The last one would be granted without doing anything: a server is its own peer.
    orders = (f"volume set atoll {ALLOWED} '*'", "volume set atoll user.stranger yes", f"peer probe {client.server}")
    server = client.nodes["storage1"].machine
    try:
        with ThreadPoolExecutor(len(orders) + 4) as pool:
            told = {where: pool.submit(client.manages, where, "volume list") for where in (server, node, stranger)}
            without = {
                kind: pool.submit(client.manages, server, "volume list", kind)
                for kind in ("nothing", "no certificate", "another authority")
            }
            came = dict(zip(orders, pool.map(lambda each: client.manages(node, each), orders), strict=True))
        let_in, said = told[server].result()
        assert let_in, f"nothing of this test is worth anything, glusterd answers nobody: {said}"
        assert "atoll" in said.split()
        assert not told[node].result()[0], "a node comes to glusterd"
        assert not told[stranger].result()[0]
        assert [kind for kind, each in without.items() if each.result()[0]] == [], "management without TLS"
        assert {order: said for order, (done, said) in came.items() if done} == {}
        assert of_volume(atoll) == before
    finally:
        if of_volume(atoll) != before:
            undo = f"volume set atoll {ALLOWED} {allowed}", "volume reset atoll user.stranger"
            for command in undo:
                atoll.node("storage1", "gluster", "--mode=script", *command.split(), ok=(0, 1))


def test_a_nodes_certificate_makes_no_peer_and_no_volume(client: Client) -> None:
    """By these programs of glusterd, root of a worker became root of the storage server."""
    node, server = client.nodes["worker2"].machine, client.nodes["storage1"].machine
    managed = {client.calls(server, 24007, program) for program in (PEERS, VOLUMES)}
    assert managed == {"no such procedure"}, "glusterd has these programs no more: look for others"
    assert {client.calls(node, 24007, program) for program in (PEERS, VOLUMES)} == {"no way"}
    assert client.calls(node, BRICK_PORT, HANDSHAKE) == "no such procedure", "what a mount needs"
    assert {client.calls(node, BRICK_PORT, program) for program in (PEERS, VOLUMES)} == {"no such program"}
