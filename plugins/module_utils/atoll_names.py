"""Names that a name server answers, asked as a pod would.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import os
import socket
import struct
import time

from ansible.module_utils.atoll_node import NodeError

ADDRESS, INTERNET = 1, 1
ANSWER_S = 2


def question(name: str, number: int) -> bytes:
    """Return a question for the address of a name."""
    labels = b"".join(bytes([len(part)]) + part.encode("ascii") for part in name.rstrip(".").split("."))
    return struct.pack(">HHHHHH", number, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", ADDRESS, INTERNET)


def address_in(answer: bytes, asked: bytes) -> str:
    """Return the first address of an answer; raise NodeError with what the server says instead."""
    number, flags, _, answers = struct.unpack(">HHHH", answer[:8])
    if number != struct.unpack(">H", asked[:2])[0]:
        raise NodeError("it answered another question")
    if flags & 0xF:
        raise NodeError("it answered with code {}".format(flags & 0xF))
    position = len(asked)
    for _ in range(answers):
        while answer[position]:  # the name: labels, or a pointer, which ends it
            if answer[position] & 0xC0:
                position += 1
                break
            position += answer[position] + 1
        position += 1
        kind, _, _, size = struct.unpack(">HHIH", answer[position : position + 10])
        position += 10
        if kind == ADDRESS:
            return socket.inet_ntoa(answer[position : position + size])
        position += size
    raise NodeError("its answer has no address")


def ask(name: str, server: str) -> str:
    """Ask once."""
    asked = question(name, struct.unpack(">H", os.urandom(2))[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.settimeout(ANSWER_S)
        channel.connect((server, 53))
        channel.send(asked)
        return address_in(channel.recv(4096), asked)


def resolved(name: str, server: str, timeout_s: int) -> str:
    """Ask until there is an answer, and return the address."""
    end = time.monotonic() + timeout_s
    while True:
        try:
            return ask(name, server)
        except (OSError, NodeError) as error:
            if time.monotonic() > end:
                raise NodeError(
                    "name server {} did not give the address of {} within {} s: {}".format(
                        server, name, timeout_s, error
                    )
                ) from None
            time.sleep(0.5)  # it may be refused at once
