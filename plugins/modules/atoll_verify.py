#!/usr/bin/python
# Apache-2.0
"""Whether a phase keeps what it promises."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_verify
short_description: Whether a phase keeps what it promises
description:
  - Compares what the phase manages here with what it left, and asks what it runs. Fails with all that is broken, in
    words. Changes nothing, and takes no lock; as the last task of a phase it puts that on record when all is well.
  - What may still be on its way is asked again until C(timeout_s) is over.
options:
  phase:
    description: The phase.
    type: str
    required: true
  sysctls:
    description: Settings of the kernel and their values.
    type: dict
    default: {}
  ports:
    description: Ports on which this node has to listen, and what listens there in words.
    type: dict
    default: {}
  urls:
    description: >-
      Addresses that have to answer. C(host) and C(port) say where to connect, C(name) for whom the certificate must be,
      C(ca) a file or C(trust) a text of certificates to check it with, C(certificate) and C(key) who we are. Without
      C(ca) and C(trust) it is plain HTTP. C(upload) begins an upload to a registry and gives it up again.
    type: list
    elements: dict
    default: []
    suboptions:
      what: {description: What answers there., type: str, required: true}
      host: {description: Where to connect., type: str, default: 127.0.0.1}
      port: {description: Where to connect., type: int, required: true}
      name: {description: Name in the certificate. Default is C(host)., type: str}
      path: {description: What to ask for., type: str, default: /}
      status: {description: What it has to answer., type: int, default: 200}
      ca: {description: File of certificates., type: path}
      trust: {description: Text of certificates., type: str}
      certificate: {description: Our certificate., type: path}
      key: {description: Its key., type: path}
      upload: {description: Repository to which an upload is begun., type: str}
  stores:
    description: >-
      What tells in metrics, on a port of this node, how many bytes it holds (C(used)) and may hold (C(most)): it must
      hold less than half of that.
    type: list
    elements: dict
    default: []
    suboptions:
      what: {description: What tells it., type: str, required: true}
      port: {description: Where it is asked., type: int, required: true}
      used: {description: Name of the metric., type: str, required: true}
      most: {description: Name of the metric., type: str, required: true}
  certificates:
    description: Pairs C([certificate, key]) of files that must belong together and be valid for C(least_days).
    type: list
    elements: list
    default: []
  least_days:
    description: Days for which certificates must be valid.
    type: int
    default: 14
  mounts:
    description: Directories that must be mounts on which files can be written.
    type: list
    elements: path
    default: []
  rollouts:
    description: Workloads that must be complete, as C(Kind namespace/name).
    type: list
    elements: str
    default: []
  left_out:
    description: Nodes in maintenance; what C(rollouts) lack there is forgiven, as it is on nodes that are away.
    type: list
    elements: str
    default: []
  nodes_ready:
    description: Nodes that must be ready.
    type: list
    elements: str
    default: []
  allocatable:
    description: What nodes must offer, by node and resource.
    type: dict
    default: {}
  conditions:
    description: Kinds of objects of which each must have a condition, by kind.
    type: dict
    default: {}
  dry_runs:
    description: Objects that the API server and its webhooks must admit, as texts.
    type: list
    elements: str
    default: []
  refusals:
    description: Objects that the API server must not admit, as texts, by what it has to say (a part of its words).
    type: dict
    default: {}
  commands:
    description: Command lines that must succeed, by what they ask.
    type: dict
    default: {}
  targets:
    description: >-
      A Prometheus, as C(namespace/service:port) or C(namespace/https:service:port), which must reach all that it
      measures.
    type: str
  static_pod:
    description: >-
      The static pod that offers what is asked, as C(namespace/name). When it ends again and again, what is missing is
      not waited for; its last lines are told.
    type: str
  timeout_s:
    description: Seconds within which what is on its way must be there.
    type: int
    default: 20
extends_documentation_fragment:
  - atoll
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The registry answers those who show a certificate
  atoll_verify:
    phase: registry
    urls:
      - what: the registry
        port: 5443
        path: /v2/
        name: registry.atoll.internal
        ca: /etc/atoll/pki/registry-ca.crt
        certificate: /etc/atoll/pki/node.crt
        key: /etc/atoll/pki/node.key
"""

RETURN = r"""
broken:
  description: What is broken, in words.
  returned: always
  type: list
  elements: str
"""

import os
import time
from functools import partial
from typing import Any, Callable, Dict, Iterator, List

from ansible.module_utils import atoll_verification as asking
from ansible.module_utils import atoll_waiting as waiting
from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, NodeError, guarded, read_json
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, recorded
from ansible.module_utils.basic import AnsibleModule

URL = {
    "what": {"type": "str", "required": True},
    "host": {"type": "str", "default": "127.0.0.1"},
    "port": {"type": "int", "required": True},
    "name": {"type": "str"},
    "path": {"type": "str", "default": "/"},
    "status": {"type": "int", "default": 200},
    "ca": {"type": "path"},
    "trust": {"type": "str"},
    "certificate": {"type": "path"},
    "key": {"type": "path", "no_log": False},
    "upload": {"type": "str"},
}
STORE = {
    "what": {"type": "str", "required": True},
    "port": {"type": "int", "required": True},
    "used": {"type": "str", "required": True},
    "most": {"type": "str", "required": True},
}
ARGUMENTS = {
    "phase": {"type": "str", "required": True},
    "sysctls": {"type": "dict", "default": {}},
    "ports": {"type": "dict", "default": {}},
    "urls": {"type": "list", "elements": "dict", "default": [], "options": URL},
    "stores": {"type": "list", "elements": "dict", "default": [], "options": STORE},
    "certificates": {"type": "list", "elements": "list", "default": []},
    "least_days": {"type": "int", "default": 14},
    "mounts": {"type": "list", "elements": "path", "default": []},
    "rollouts": {"type": "list", "elements": "str", "default": []},
    "left_out": {"type": "list", "elements": "str", "default": []},
    "nodes_ready": {"type": "list", "elements": "str", "default": []},
    "allocatable": {"type": "dict", "default": {}},
    "conditions": {"type": "dict", "default": {}},
    "dry_runs": {"type": "list", "elements": "str", "default": []},
    "refusals": {"type": "dict", "default": {}},
    "commands": {"type": "dict", "default": {}},
    "targets": {"type": "str"},
    "static_pod": {"type": "str"},
    "timeout_s": {"type": "int", "default": 20},
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}
AGAIN_S = 1.0


def questions(params: Dict[str, Any]) -> Iterator[Callable[[], List[str]]]:
    """Yield what has to be asked; each answers with what is broken, in words."""
    book = read_json(os.path.join(params["state_directory"], "managed", params["phase"] + ".json")) or {}
    days = params["least_days"]
    yield partial(asking.left, book)
    yield partial(asking.sysctls, params["sysctls"])
    yield from (partial(asking.port, int(port), what) for port, what in params["ports"].items())
    yield from (partial(asking.url, url, days) for url in params["urls"])
    yield from (partial(asking.store, store) for store in params["stores"])
    yield from (partial(asking.certificate, path, key, days) for path, key in params["certificates"])
    yield from (partial(asking.mount, mount) for mount in params["mounts"])
    yield from (partial(asking.rollout, workload, params["left_out"]) for workload in params["rollouts"])
    if params["nodes_ready"] or params["allocatable"]:
        yield partial(asking.nodes, params["nodes_ready"], params["allocatable"])
    yield from (partial(asking.condition, kind, wanted) for kind, wanted in params["conditions"].items())
    yield from (partial(asking.dry_run, text) for text in params["dry_runs"])
    yield from (partial(asking.refusal, said, text) for said, text in params["refusals"].items())
    yield from (partial(asking.command, what, argv) for what, argv in params["commands"].items())
    if params["targets"]:
        yield partial(asking.targets, params["targets"])


def answer(question: Callable[[], List[str]]) -> List[str]:
    """Return what is broken; that it cannot be asked is broken too."""
    try:
        return question()
    except NodeError as error:
        return [str(error)]


def work(module: Any) -> Dict[str, Any]:
    """Ask all, and what is broken again, until it is not or the time is over."""
    end = time.monotonic() + module.params["timeout_s"]
    left = list(questions(module.params))
    pod = None
    while True:
        answers = [(question, answer(question)) for question in left]
        left = [question for question, broken in answers if broken]
        if not left or time.monotonic() >= end:
            break
        if module.params["static_pod"]:
            pod = pod or waiting.StaticPod(module.params["static_pod"])
            pod.look()
        time.sleep(AGAIN_S)  # it may be on its way
    broken = [words for _, told in answers for words in told]
    if broken:
        module.fail_json(
            msg="\n".join(broken),
            broken=broken,
            remedy="`./atoll apply --every-phase --phase {}` puts it right where it can; mend what it names.".format(
                module.params["phase"]
            ),
        )
    return {"changed": False, "broken": []}


def main() -> None:
    """Run as a module."""
    guarded(recorded(work), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
