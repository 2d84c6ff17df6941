#!/usr/bin/python
# Apache-2.0
"""Wait until a name server answers."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_resolves
short_description: Wait until a name server answers
description:
  - Asks a name server for the address of a name, as a pod would, until it answers. Changes nothing.
options:
  name:
    description: The name.
    type: str
    required: true
  server:
    description: Address of the name server.
    type: str
    required: true
  timeout_s:
    description: Most seconds to wait.
    type: int
    default: 120
  record:
    description: >-
      For the last task of a phase: put the phase on record behind it. The variable C(on_record) of the play says what.
    type: dict
    suboptions:
      phase: {description: The phase., type: str, required: true}
      scope: {description: Whether the cluster keeps it too., type: str, choices: [node, cluster], default: node}
      input_hash: {description: Hash of all that the phase was made from., type: str, required: true}
      version: {description: Version of Atoll., type: str, required: true}
  state_directory:
    description: Atoll's state on the node.
    type: path
    default: /var/lib/atoll
author:
  - Atoll
"""

EXAMPLES = r"""
- name: Names of services are answered
  atoll_resolves:
    name: kubernetes.default.svc.cluster.local
    server: 10.96.0.10
"""

RETURN = r"""
address:
  description: The address.
  returned: always
  type: str
"""

import os
import socket
import struct
import time
from typing import Any, Dict

from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, NodeError, guarded
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, recorded
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "name": {"type": "str", "required": True},
    "server": {"type": "str", "required": True},
    "timeout_s": {"type": "int", "default": 120},
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}
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


def work(module: Any) -> Dict[str, Any]:
    """Ask until there is an answer."""
    name, server = module.params["name"], module.params["server"]
    end = time.monotonic() + module.params["timeout_s"]
    while True:
        try:
            return {"changed": False, "address": ask(name, server)}
        except (OSError, NodeError) as error:
            if time.monotonic() > end:
                seconds = module.params["timeout_s"]
                raise NodeError(
                    "name server {} did not give the address of {} within {} s: {}".format(server, name, seconds, error)
                ) from None
            time.sleep(0.5)  # it may be refused at once


def main() -> None:
    """Run as a module."""
    guarded(recorded(work), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
