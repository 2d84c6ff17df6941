#!/usr/bin/python
# Apache-2.0
"""Images of the bundle in a node's container runtime."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_images
short_description: Images of the bundle in a node's container runtime
description:
  - Imports into containerd what it lacks of a set of the bundle, from files and without a registry. Sends only the
    blobs that the node does not have.
options:
  set:
    description: Set of images.
    type: str
    default: base
  except_repositories:
    description: Repositories that this node has no use for, without registry and tag.
    type: list
    elements: str
    default: []
  namespace:
    description: Name space of containerd.
    type: str
    default: k8s.io
  images:
    description: Set by the action.
    type: list
    elements: dict
  staged:
    description: Set by the action.
    type: dict
extends_documentation_fragment:
  - atoll
  - atoll.phase
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The images that Kubernetes starts with are there
  atoll_images:
    set: base
"""

RETURN = r"""
imported:
  description: Names of the images that were imported.
  returned: always
  type: list
  elements: str
"""

import io
import json
import os
import shutil
import subprocess
import tarfile
from typing import Any, Dict, List, Set

from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, PATH, Book, NodeError, guarded, locked, run
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, begun, recorded
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "set": {"type": "str", "default": "base"},
    "except_repositories": {"type": "list", "elements": "str", "default": []},
    "phase": {"type": "str", "required": True},
    "namespace": {"type": "str", "default": "k8s.io"},
    "images": {"type": "list", "elements": "dict", "required": True},
    "staged": {"type": "dict"},
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}
REF_NAME = "org.opencontainers.image.ref.name"
CONTAINERD_NAME = "io.containerd.image.name"


def images_there(namespace: str) -> Dict[str, str]:
    """Return the images of the runtime, name to digest."""
    said = run(["ctr", "--namespace", namespace, "images", "list"])
    rows = [line.split() for line in said.splitlines()[1:] if line.strip()]
    return {row[0]: next((word for word in row if word.startswith("sha256:")), "") for row in rows}


def blobs_there(namespace: str) -> Set[str]:
    """Return the digests of the blobs that the runtime has."""
    return set(run(["ctr", "--namespace", namespace, "content", "list", "--quiet"]).split())


def archive(stream: Any, images: List[Dict[str, Any]], staged: Dict[str, str]) -> None:
    """Write an OCI archive of these images with the blobs that were sent."""
    manifests = []
    for image in images:
        names = {REF_NAME: image["name"], CONTAINERD_NAME: image["name"]}
        manifests.append(
            {**image["descriptor"], "annotations": {**image["descriptor"].get("annotations", {}), **names}}
        )
    with tarfile.open(fileobj=stream, mode="w|") as tar:
        for name, content in (
            ("oci-layout", {"imageLayoutVersion": "1.0.0"}),
            ("index.json", {"schemaVersion": 2, "manifests": manifests}),
        ):
            body = json.dumps(content).encode()
            member = tarfile.TarInfo(name)
            member.size = len(body)
            tar.addfile(member, io.BytesIO(body))
        for digest, path in sorted(staged.items()):
            member = tarfile.TarInfo("blobs/" + digest.replace(":", "/"))
            member.size = os.path.getsize(path)
            with open(path, "rb") as source:
                tar.addfile(member, source)


def load(namespace: str, images: List[Dict[str, Any]], staged: Dict[str, str]) -> None:
    """Feed an archive to the runtime."""
    argv = ["ctr", "--namespace", namespace, "images", "import", "--digests=false", "-"]
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"PATH": PATH, "LC_ALL": "C.UTF-8"},
    )
    broken = None
    try:
        archive(process.stdin, images, staged)
    except BrokenPipeError as error:  # it ended early; what it said tells why
        broken = error
    said = process.communicate()[0].decode(errors="replace")
    if process.returncode or broken:
        raise NodeError("`{}` failed: {}".format(" ".join(argv), said.strip()[-2000:]))


def work(module: Any) -> Dict[str, Any]:
    """Say which blobs must be sent first, or import the images."""
    params, dry = module.params, module.check_mode
    namespace = params["namespace"]
    with locked(params["state_directory"], wanted=not dry):
        # A rehearsal on a new node: the runtime would have been installed by now, without images.
        no_runtime = dry and shutil.which("ctr", path=PATH) is None
        there = {} if no_runtime else images_there(namespace)
        lacking = [image for image in params["images"] if there.get(image["name"]) != image["descriptor"]["digest"]]
        names = [image["name"] for image in lacking]
        if lacking and not dry:
            if params["staged"] is None:
                known = blobs_there(namespace)
                needed = {digest for image in lacking for digest in image["blobs"] if digest not in known}
                return {"changed": False, "imported": [], "needed": sorted(needed), "ask": True}
            load(namespace, lacking, params["staged"])
            there = images_there(namespace)
            left = [image["name"] for image in lacking if there.get(image["name"]) != image["descriptor"]["digest"]]
            if left:
                raise NodeError("containerd imported the archive, but these are not there: {}".format(", ".join(left)))
        if not dry:
            book = Book(params["state_directory"], params["phase"])
            book.content["images"] = {image["name"]: image["descriptor"]["digest"] for image in params["images"]}
            book.save()
    diff = {"before": "", "after": "\n".join(names) + "\n"} if names else {}
    return {"changed": bool(names), "imported": names, "diff": diff, "ask": False}


def main() -> None:
    """Run as a module."""
    guarded(begun(recorded(work)), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
