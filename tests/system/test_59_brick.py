"""What root of a worker has of a storage server by its brick, which does what its clients say: the user data."""

from __future__ import annotations

import subprocess
import sys

from installer.cluster import load
from installer.cluster.drivers import BRICK_PORT
from installer.lab.topology import lab_of
from tests.system import bricks
from tests.system.harness import CLUSTER_FILE, Atoll

BRICK = "/srv/atoll/storage/data"
LOG = "/var/log/glusterfs/bricks/srv-atoll-storage-data.log"
# One that anybody may read, one that every server has, one by way of another process's root.
FILES = ("/etc/passwd", "/etc/machine-id", "/proc/1/root/etc/passwd")
CAGED = ("glusterfsd", "setpriv", "umount", "lib", "lib32", "lib64")
# By linux/capability.h.
POWERS = {"net_admin": 12, "sys_module": 16, "sys_rawio": 17, "sys_chroot": 18, "sys_ptrace": 19, "mknod": 27}


def test_a_workers_certificate_reads_and_writes_nothing_of_the_server_but_the_data(atoll: Atoll) -> None:
    nodes = {node.name: node for node in lab_of(load(CLUSTER_FILE)).nodes}
    own, authority = atoll.state / "pki/storage/nodes/worker2", atoll.state / "pki/storage/issuer.crt"
    device = atoll.node("storage1", "stat", "--format=%d", "/srv/atoll").out.strip()
    words = [nodes["storage1"].address, BRICK_PORT, BRICK, own, authority, device, *FILES]
    inside = ["ip", "netns", "exec", nodes["worker2"].machine, sys.executable, bricks.__file__, *map(str, words)]
    done = subprocess.run(inside, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    said = dict(line.split("\t") for line in done.stdout.splitlines())
    assert said.pop("a file of the volume") == "done", "it was not let in, so nothing is said by what it was refused"
    assert said.keys() == {"the folder above", "a device", *FILES}
    assert {what for what, how in said.items() if how == "done"} == set(), "root of a worker is root of the server"


def test_the_brick_sees_little_of_its_server_and_has_no_power_over_devices_and_processes(atoll: Atoll) -> None:
    brick = "/proc/$(pgrep --exact glusterfsd)"
    root = f"cd {brick}/root && find proc etc var/lib root home old -mindepth 1 -maxdepth 2 -not -type d"
    sees = atoll.node("storage1", "sh", "-c", f"({root}) 2> /dev/null; true").out.split()
    assert set(sees) == {
        "proc/cpuinfo",
        "etc/ld.so.cache",
        *(f"etc/ssl/glusterfs.{end}" for end in ("ca", "pem", "key")),
        "var/lib/glusterd/secure-access",
    }
    # GlusterFS runs by a shell what stands in a volume file, and that lies where clients write.
    programs = atoll.node("storage1", "sh", "-c", f"cd {brick}/root && ls usr usr/bin usr/sbin; ls bin sbin; true").out
    assert {*programs.split()} <= {"usr:", "usr/bin:", "usr/sbin:", "bin", "sbin", *CAGED}
    mounts = atoll.node("storage1", "sh", "-c", f"cut -d' ' -f5,6 {brick}/mountinfo").out.splitlines()
    writable = {place for place, options in map(str.split, mounts) if options.startswith("rw")}
    # Whatever its owner and mode, a client changes and fills what can be written: so the very file of its log, and no
    # device, which all programs of the server share.
    assert writable == {"/tmp", "/run/atoll-brick", LOG, BRICK}
    assert "size=64k" in atoll.node("storage1", "sh", "-c", f"grep ' /run/atoll-brick ' {brick}/mountinfo").out
    # What can be written can be made a program that runs as root: nobody else on the server comes to it.
    modes = atoll.node("storage1", "stat", "--format", "%a", "/srv/atoll/storage", "/var/log/glusterfs/bricks").out
    assert modes.split() == ["700", "700"]
    bounds = int(atoll.node("storage1", "sh", "-c", f"grep CapBnd {brick}/status").out.split()[1], 16)
    assert [name for name, bit in POWERS.items() if bounds >> bit & 1] == []


def test_verify_names_a_brick_without_a_root_of_its_own_and_what_was_reached_above_the_data(atoll: Atoll) -> None:
    ask = "import os, sys; getattr(os, sys.argv[1])(*sys.argv[2:4], *map(str.encode, sys.argv[4:]))"
    mark = ["python3", "-c", ask]
    above = ["/srv/atoll", "trusted.gfid"]
    asked = ["verify", "-f", str(CLUSTER_FILE), "--phase", "volume"]
    atoll(*asked)
    # By the name alone: what GlusterFS was before this server had our program for it.
    atoll.node("storage1", "sh", "-c", "cp /bin/sleep /run/glusterfsd; /run/glusterfsd 300 > /dev/null 2>&1 &")
    atoll.node("storage1", *mark, "setxattr", *above, "0123456789abcdef")
    try:
        ran = atoll(*asked, ok=(1,))
        said = ran.out + ran.err
        assert "has the root of this server for its own" in said
        assert "/srv/atoll has been reached by a client" in said
        assert "/srv has been reached" not in said
    finally:
        atoll.node("storage1", *mark, "removexattr", *above)
        atoll.node("storage1", "sh", "-c", "pkill --exact --full '/run/glusterfsd 300'; rm -f /run/glusterfsd")
    atoll(*asked)
