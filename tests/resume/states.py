"""What a cluster is, as far as two installs of the same cluster.yaml must agree: what nodes hold, and every object.

Left out is what nobody could have twice: keys and certificates and what is made from them, addresses that Kubernetes
draws, times, names that it makes up. Each is replaced by what it is, so that its being there still counts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from installer.cluster import load
from tests.system.harness import Atoll

# Runs on a node, prints JSON. Places where something that a run left half done would lie, whoever made it.
NODE = r"""
import glob, hashlib, json, os, re, stat, subprocess

DRAWN = [
    (re.compile(rb"-----BEGIN ([A-Z ]+)-----.*?-----END [A-Z ]+-----", re.S), rb"<\1>"),
    (re.compile(rb"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), b"<uuid>"),
    (re.compile(rb"\b[0-9a-f]{32,}\b"), b"<hex>"),
    (re.compile(rb"[A-Za-z0-9+/_-]{40,}={0,2}"), b"<base64>"),
    (re.compile(rb"\b\d{4}-\d\d-\d\d[T ][0-9:.]+(Z|[+-]\d\d:?\d\d)?"), b"<time>"),
]
ROOTS = ["/etc", "/opt", "/usr/local", "/root", "/tmp", "/var/tmp", "/var/lib/atoll", "/srv/atoll", "/var/spool/cron"]
# Of each run by itself, of each boot, or drawn: the registry's and etcd's own, GlusterFS's names of files and volumes.
LEFT_OUT = re.compile(
    r"^(/var/lib/atoll/clusters/[^/]+/(runs|accepted|revisions)/"
    r"|/srv/atoll/(storage|registry|system|volumes)/|/etc/ssl/certs/|/root/\.(cache|kube)/"
    r"|/(tmp|var/tmp)/systemd-private-|/etc/(\.pwd\.lock|mtab|ld\.so\.cache|machine-id|hostid|.*-)$"
    r"|/(tmp|var/tmp)/\.(X11|ICE|XIM|font)-unix)"
)


def content(path):
    with open(path, "rb") as stream:
        text = stream.read()
    if b"\0" not in text[:4096]:
        for pattern, put in DRAWN:
            text = pattern.sub(put, text)
    return hashlib.sha256(text).hexdigest()


def attributes(path):
    seen = os.lstat(path)
    return "%o %d:%d" % (stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid)


sections = ("files", "links", "directories", "units", "packages", "images", "records")
found = {"there": [], **{section: {} for section in sections}}
for book in sorted(glob.glob("/var/lib/atoll/managed/*.json")):
    with open(book) as stream:
        kept = json.load(stream)
    phase = os.path.basename(book)
    for path, record in kept.get("files", {}).items():
        found["files"][path] = "%s %s" % (attributes(path), content(path)) if os.path.isfile(path) else "gone"
    for path in kept.get("directories", {}):
        found["directories"][path] = attributes(path) if os.path.isdir(path) else "gone"
    for path in kept.get("links", {}):
        found["links"][path] = os.readlink(path) if os.path.islink(path) else "gone"
    for name in kept.get("units", {}):
        said = subprocess.run(
            ["systemctl", "show", "--property=ActiveState,SubState,UnitFileState,NeedDaemonReload", name],
            stdout=subprocess.PIPE, check=True,
        ).stdout.decode()
        found["units"][name] = sorted(said.split())
    for name in kept.get("packages", {}):
        words = ["dpkg-query", "-W", "-f", "${Version} ${db:Status-Abbrev}", name]
        said = subprocess.run(words, stdout=subprocess.PIPE)
        found["packages"][name] = said.stdout.decode().strip()
    found["images"].update(kept.get("images", {}))
for record in sorted(glob.glob("/var/lib/atoll/records/**/*.json", recursive=True)):
    with open(record) as stream:
        found["records"][record] = sorted(json.load(stream))
for root in ROOTS:
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            if not LEFT_OUT.match(path) and not LEFT_OUT.match(path + "/"):
                found["there"].append(path)
with open("/proc/mounts") as stream:
    mounts = [line.split()[1:3] for line in stream]
of_pods = re.compile(r"/(var/lib/(kubelet|containerd)|run/(containerd|user|netns))/")
found["mounts"] = sorted(" ".join(each) for each in mounts if not of_pods.match(each[0]))
left = subprocess.run(["pgrep", "-fa", "AnsiballZ|ansible-tmp"], stdout=subprocess.PIPE)
found["processes of Ansible"] = left.stdout.decode().splitlines()
found["there"].sort()
print(json.dumps(found))
"""
DRAWN = (
    (re.compile(r"-----BEGIN ([A-Z ]+)-----.*?-----END [A-Z ]+-----", re.DOTALL), r"<\1>"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"\b[0-9a-f]{32,}\b"), "<hex>"),
    (re.compile(r"[A-Za-z0-9+/_-]{40,}={0,2}"), "<base64>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ][0-9:.]+(Z|[+-]\d\d:?\d\d)?"), "<time>"),
)
# What Kubernetes makes of the rest, or what comes and goes by itself.
NOT_COMPARED = {
    "bindings",
    "certificatesigningrequests.certificates.k8s.io",
    "componentstatuses",
    "controllerrevisions.apps",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
    "nodes.metrics.k8s.io",
    "pods.metrics.k8s.io",
    "replicasets.apps",  # one for each change that a killed run had begun
}
OF_AN_OBJECT = (
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "generateName",
)
DRAWN_FIELDS = {
    "clusterIP",
    "clusterIPs",
    "healthCheckNodePort",
    "nodePort",
    "podCIDR",
    "podCIDRs",
    "uid",
    "volumeName",
}


def state_of(atoll: Atoll) -> dict[str, Any]:
    """Everything that is compared, in a flat dict: where it is, and what is there."""
    found: dict[str, Any] = {}
    for node in load(atoll.file).nodes:
        told = json.loads(atoll.node(node.name, "python3", "-c", NODE).out)
        there = told.pop("there")
        found |= {f"{node.name}: {path}": "is there" for path in there}
        for section, entries in told.items():
            if isinstance(entries, dict):
                found |= {f"{node.name}: {section} {name}": entry for name, entry in entries.items()}
            else:
                found[f"{node.name}: {section}"] = entries
    return found | objects(atoll)


def objects(atoll: Atoll) -> dict[str, Any]:
    """Of every object that the API lists: its name, and what its maker wants of it."""
    kinds = atoll.kubectl("api-resources", "--verbs=list", "--output", "name").out.split()
    found: dict[str, Any] = {}
    for kind in sorted({*kinds} - NOT_COMPARED):
        items = atoll.kubectl("get", kind, "--all-namespaces", "--output", "json").json["items"]
        if kind == "pods":
            counted = Counter(f"pods of {owner(item)}" for item in items if item["status"]["phase"] != "Succeeded")
            found |= counted
            continue
        for item in items:
            metadata = item["metadata"]
            name = f"{kind} {metadata.get('namespace', '')}/{undrawn(metadata['name'])}"
            found[name] = wanted(item)
    return found


def owner(pod: dict[str, Any]) -> str:
    """Whose a pod is, by what its maker's name has of its own."""
    metadata = pod["metadata"]
    made = (metadata.get("ownerReferences") or [{"kind": "nobody", "name": metadata["name"]}])[0]
    name = re.sub(r"-[0-9a-z]{6,10}$", "", made["name"]) if made["kind"] == "ReplicaSet" else made["name"]
    return f"{made['kind']} {metadata['namespace']}/{undrawn(name)}"


def wanted(item: dict[str, Any]) -> Any:
    """An object without what the API server, time and chance put into it."""
    kept = {name: value for name, value in item.items() if name not in {"status", "metadata"}}
    metadata = {name: value for name, value in item["metadata"].items() if name not in OF_AN_OBJECT}
    if item["kind"] == "Secret":
        kept["data"] = sorted(kept.get("data", {}))
    metadata["annotations"] = {
        name: value
        for name, value in metadata.get("annotations", {}).items()
        if not name.startswith(("deployment.kubernetes.io/revision", "kubectl.kubernetes.io/last-applied"))
    }
    return plain({**kept, "metadata": metadata})


def plain(value: Any) -> Any:
    """The same with what is drawn replaced."""
    if isinstance(value, dict):
        return {name: "<drawn>" if name in DRAWN_FIELDS else plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return undrawn(value) if isinstance(value, str) else value


def undrawn(text: str) -> str:
    """A text with keys, digests and times replaced by what they are."""
    for pattern, put in DRAWN:
        text = pattern.sub(put, text)
    return text


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What is not the same, a line each."""
    lines = []
    for place in sorted({*before, *after}):
        one, other = before.get(place, "is not there"), after.get(place, "is not there")
        if one != other:
            lines.append(f"{place}: {json.dumps(one)[:300]} | {json.dumps(other)[:300]}")
    return lines
