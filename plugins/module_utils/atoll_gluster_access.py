# Apache-2.0
"""Where the servers of a GlusterFS volume listen, and to whom, as seen from the outside.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import socket
import ssl
from typing import List, Tuple

MANAGEMENT_PORT = 24007
ANSWER_S, HANGS_UP_S = 5, 2
Brick = Tuple[str, str, str, bool]  # host, path, port, whether it serves
Identity = Tuple[str, str, str]  # certificate, key, authority: files


def listens(host: str, port: int, identity: Identity, known: bool) -> bool:
    """Say whether a server goes on listening to us: as the node that we are, or as a stranger without a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    certificate, key, authority = identity
    context.load_verify_locations(authority)
    if known:
        context.load_cert_chain(certificate, key)
    try:
        with socket.create_connection((host, port), timeout=ANSWER_S) as plain, context.wrap_socket(plain) as stream:
            return known or _stays(stream)
    except OSError:  # ssl.SSLError is one, and so is the time without an answer
        return False


def _stays(stream: ssl.SSLSocket) -> bool:
    """Say whether a server goes on after the handshake, which GlusterFS makes with everybody before it hangs up."""
    stream.settimeout(HANGS_UP_S)
    try:
        return bool(stream.recv(1))
    except socket.timeout:
        return True


def open_to_strangers(servers: List[str], bricks: List[Brick], identity: Identity) -> List[str]:
    """Return in words which servers do not speak TLS, or speak it with anybody."""
    found = []
    places = [("glusterd", host, MANAGEMENT_PORT) for host in servers]
    places += [("the brick", host, int(port)) for host, _, port, serves in bricks if serves]
    for what, host, port in places:
        if not listens(host, port, identity, known=True):
            found.append("%s at %s:%d does not speak TLS with this node" % (what, host, port))
        elif listens(host, port, identity, known=False):
            found.append("%s at %s:%d takes connections without a certificate" % (what, host, port))
    return found


def misplaced(bricks: List[Brick], port: int) -> List[str]:
    """Return in words which bricks serve elsewhere than at their port."""
    return [
        "the brick %s:%s serves at port %s, and clients look for it at %d" % (host, path, at, port)
        for host, path, at, serves in bricks
        if serves and at != str(port)
    ]
