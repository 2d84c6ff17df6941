#!/usr/bin/python
# Apache-2.0
"""What was applied to a node, and what differs from it now."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_probe
short_description: What was applied to a node, and what differs from it now
description:
  - Reads the records of this node's phases and compares what each phase manages with what is there. Files count by
    digest and mode, units by state, packages and images by name, objects by those of their fields that Atoll set.
  - Changes nothing.
options:
  objects:
    description: Also compare objects of the cluster. Objects are written down on the first master only.
    type: bool
    default: true
extends_documentation_fragment:
  - atoll
author:
  - Atoll
"""

EXAMPLES = r"""
- name: What is on the nodes is known
  atoll_probe:
  register: seen
"""

RETURN = r"""
records:
  description: The record of each phase that was applied here.
  returned: always
  type: dict
cluster_records:
  description: Records of the phases of the whole cluster, as the cluster keeps them; on masters.
  returned: always
  type: dict
managed:
  description: The phases that manage anything here, also those that began and never ended.
  returned: always
  type: list
  elements: str
drifted:
  description: For each phase with differences, these in words.
  returned: always
  type: dict
certificates_end:
  description: When the first of kubeadm's own certificates on this master ends, like C(2031-11-21); empty elsewhere.
  returned: always
  type: str
nodes:
  description: Names of the Node objects, on masters whose cluster answers; null elsewhere.
  returned: always
  type: list
  elements: str
kubernetes:
  description: The version of the control plane that stands on this master, like C(v1.36.3); empty elsewhere.
  returned: always
  type: str
"""

import base64
import glob
import json
import os
import re
from typing import Any, Dict, List, Optional

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_drift import (
    images,
    installed_packages,
    listed,
    objects,
    packages,
    paths,
    runtime_images,
    units,
)
from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, NodeError, books, guarded, read_json
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {"objects": {"type": "bool", "default": True}, **COMMON_ARGUMENTS}
API_SERVER = "/etc/kubernetes/manifests/kube-apiserver.yaml"
KUBERNETES = "/etc/kubernetes"
# The validity of a certificate in DER: a sequence of two times. The standard library reads no certificates.
VALIDITY = re.compile(rb"\x30\x1e\x17\x0d\d{12}Z\x17\x0d(\d{6})\d{6}Z")
RECORDS = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "records", "namespace": "atoll-system"}}


def records(state: str) -> Dict[str, Any]:
    """Return the record of each phase."""
    directory = os.path.join(state, "records")
    names = sorted(os.listdir(directory)) if os.path.isdir(directory) else []
    return {name[:-5]: read_json(os.path.join(directory, name)) for name in names if name.endswith(".json")}


def kubernetes(state: str, manifest: str = API_SERVER) -> str:
    """Return the version of the control plane that stands here; one that was never finished counts for nothing."""
    if (read_json(os.path.join(state, "kubeadm.json")) or {}).get("state") != "done" or not os.path.isfile(manifest):
        return ""
    with open(manifest, encoding="utf-8") as stream:
        found = re.search(r"image: \S+:(v\d+\.\S+)", stream.read())
    return found.group(1) if found else ""


def certificates_end(root: str = KUBERNETES) -> str:
    """Return the day on which the first of kubeadm's certificates ends; those of authorities are not among them."""
    texts = []
    for pattern in ("pki/*.crt", "pki/etcd/*.crt", "*.conf"):
        for path in glob.glob(os.path.join(root, pattern)):
            if not path.endswith("ca.crt"):
                with open(path, encoding="utf-8") as stream:
                    texts.append(stream.read())
    ends = []
    for text in texts:
        encoded = re.findall(r"-----BEGIN CERTIFICATE-----(.+?)-----END", text, re.DOTALL)
        for inner in re.findall(r"client-certificate-data: (\S+)", text):
            pem = base64.b64decode(inner).decode()
            encoded += re.findall(r"-----BEGIN CERTIFICATE-----(.+?)-----END", pem, re.DOTALL)
        ends += [day.decode() for der in map(base64.b64decode, encoded) for day in VALIDITY.findall(der)]
    return "20{}-{}-{}".format(*(min(ends)[place : place + 2] for place in (0, 2, 4))) if ends else ""


def work(module: Any) -> Dict[str, Any]:
    """Compare everything."""
    state = module.params["state_directory"]
    known = dict(books(state))
    on_master = module.params["objects"] and os.path.exists(cluster.KUBECONFIG)
    debian = installed_packages() if any(book.get("packages") for book in known.values()) else {}
    runtime = runtime_images() if any(book.get("images") for book in known.values()) else {}
    live: Dict[cluster.Key, Dict[str, Any]] = {}
    unreachable = ""
    cluster_records: Dict[str, Any] = {}
    nodes: Optional[List[str]] = None
    if on_master:
        try:
            nodes = sorted(
                name.partition("/")[2] for name in cluster.kubectl("get", "nodes", "--output", "name").split()
            )
            live = cluster.get([RECORDS, *(item for book in known.values() for item in listed(book))])
        except NodeError as error:
            unreachable = str(error)
        kept = live.get(cluster.key_of(RECORDS), {}).get("data") or {}
        cluster_records = {phase: json.loads(record) for phase, record in kept.items()}
    drifted: Dict[str, List[str]] = {}
    for phase, book in known.items():
        found = [*paths(book), *units(book), *packages(book, debian), *images(book, runtime)]
        if on_master and listed(book):
            found += ["the cluster does not answer: " + unreachable] if unreachable else list(objects(book, live))
        if found:
            drifted[phase] = found
    return {
        "changed": False,
        "records": records(state),
        "cluster_records": cluster_records,
        "managed": sorted(known),
        "drifted": drifted,
        "certificates_end": certificates_end() if on_master else "",
        "kubernetes": kubernetes(state),
        "nodes": nodes,
    }


def main() -> None:
    """Run as a module."""
    guarded(work, AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
