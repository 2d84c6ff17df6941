"""The questions of `atoll_verify`: each returns what is broken, in words for a person; nothing if all is well.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import calendar
import http.client
import json
import os
import re
import socket
import ssl
import time
from typing import Any, Dict, List, Set

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils import atoll_drift as drift
from ansible.module_utils.atoll_node import NodeError, run

ANSWER_S = 5
DAY_S = 86400
SHOWN = 4
HTTPS = 443
MIB = 1 << 20
METRIC = re.compile(r"^(\w+) (\S+)$", re.MULTILINE)  # one without labels
# Only since Python 3.10 has it a name: the customer's own certificate may be all that there is to trust.
PARTIAL_CHAIN = 0x80000
# The validity of a certificate in DER: a sequence of two times. The standard library reads no certificates.
VALIDITY = re.compile(rb"\x30\x1e\x17\x0d\d{12}Z\x17\x0d(\d{12})Z")


def some(words: List[str]) -> List[str]:
    """Return the first of many findings, and how many more there are."""
    more = len(words) - SHOWN
    return words if more <= 0 else [*words[:SHOWN], "and {} more like these".format(more)]


def left(book: Dict[str, Any]) -> List[str]:
    """Compare what the phase manages here with what it left."""
    found = [*drift.paths(book), *drift.units(book)]
    if book.get("packages"):
        found += drift.packages(book, drift.installed_packages())
    if book.get("images"):
        found += drift.images(book, drift.runtime_images())
    if drift.listed(book) and os.path.exists(cluster.KUBECONFIG):
        found += drift.objects(book, cluster.get(drift.listed(book)))
    return some(found)


def sysctls(wanted: Dict[str, Any]) -> List[str]:
    """Compare settings of the kernel."""
    found = []
    for name, value in wanted.items():
        try:
            with open("/proc/sys/" + name.replace(".", "/"), encoding="utf-8") as stream:
                seen = " ".join(stream.read().split())
        except OSError:
            seen = "not there"
        if seen != str(value):
            found.append("the kernel's {} is {}, not {}".format(name, seen, value))
    return found


def port(number: int, what: str) -> List[str]:
    """Connect to a port of this node."""
    try:
        socket.create_connection(("127.0.0.1", number), ANSWER_S).close()
    except OSError as error:
        return ["{} does not listen on port {}: {}".format(what, number, error.strerror or error)]
    return []


def url(asked: Dict[str, Any], least_days: int) -> List[str]:
    """Ask a server; with an upload, whether it would take one."""
    where = "{} ({}:{})".format(asked["what"], asked["host"], asked["port"])
    connection = http.client.HTTPConnection(asked["host"], asked["port"], timeout=ANSWER_S)
    try:
        connection.sock = socket.create_connection((asked["host"], asked["port"]), ANSWER_S)
        days = _secure(connection, asked) if asked["ca"] or asked["trust"] else None
        found = [] if days is None or days >= least_days else [_near(where + " has a certificate that", days)]
        return found + _answers(connection, asked, where)
    except (OSError, http.client.HTTPException) as error:
        said = getattr(error, "strerror", None) or error or type(error).__name__
        return ["{} does not answer: {}".format(where, said)]
    finally:
        connection.close()


def _answers(connection: http.client.HTTPConnection, asked: Dict[str, Any], where: str) -> List[str]:
    name = asked["name"] or asked["host"]
    headers = {"Host": name if asked["port"] == HTTPS else "{}:{}".format(name, asked["port"])}
    connection.request("GET", asked["path"], headers=headers)
    answer = connection.getresponse()
    said = answer.read(4096).decode("utf-8", "replace")
    if answer.status != asked.get("status", 200):
        return ["{} answers {} with {}: {}".format(where, asked["path"], answer.status, said.strip()[:200])]
    return _upload(connection, asked["upload"], headers, where) if asked["upload"] else []


def _secure(connection: http.client.HTTPConnection, asked: Dict[str, Any]) -> float:
    """Speak TLS; return for how many days the server's certificate is valid."""
    context = ssl.create_default_context(cafile=asked["ca"], cadata=asked["trust"])
    context.verify_flags |= getattr(ssl, "VERIFY_X509_PARTIAL_CHAIN", PARTIAL_CHAIN)
    if asked["certificate"]:
        context.load_cert_chain(asked["certificate"], asked["key"])
    secured = context.wrap_socket(connection.sock, server_hostname=asked["name"] or asked["host"])
    connection.sock = secured
    ends = (secured.getpeercert() or {}).get("notAfter")
    return (ssl.cert_time_to_seconds(str(ends)) - time.time()) / DAY_S if ends else float("inf")


def _upload(connection: http.client.HTTPConnection, name: str, headers: Dict[str, str], where: str) -> List[str]:
    """Begin an upload and give it up: what lies in the registry stays as it is."""
    connection.request("POST", "/v2/{}/blobs/uploads/".format(name), headers={**headers, "Content-Length": "0"})
    answer = connection.getresponse()
    said = answer.read(4096).decode("utf-8", "replace")
    place = answer.getheader("Location")
    if answer.status != 202 or not place:
        return ["{} takes no images: it answers {}: {}".format(where, answer.status, said.strip()[:200])]
    path = "/" + place.split("/", 3)[3] if "://" in place else place
    connection.request("DELETE", path, headers=headers)
    connection.getresponse().read()
    return []


def store(asked: Dict[str, Any]) -> List[str]:
    """Ask what keeps things how full it is."""
    where = "{} (127.0.0.1:{})".format(asked["what"], asked["port"])
    connection = http.client.HTTPConnection("127.0.0.1", asked["port"], timeout=ANSWER_S)
    try:
        connection.request("GET", "/metrics")
        told = dict(METRIC.findall(connection.getresponse().read().decode("utf-8", "replace")))
    except (OSError, http.client.HTTPException) as error:
        return ["{} does not tell how full it is: {}".format(where, error or type(error).__name__)]
    finally:
        connection.close()
    missing = [name for name in (asked["used"], asked["most"]) if name not in told]
    if missing:
        return ["{} does not tell {}".format(where, " and ".join(missing))]
    used, most = float(told[asked["used"]]), float(told[asked["most"]])
    if used < most / 2:
        return []
    return ["{} holds {:.0f} MiB of the {:.0f} MiB that it may, more than half".format(where, used / MIB, most / MIB)]


def certificate(path: str, key: str, least_days: int) -> List[str]:
    """Read a certificate and its key."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(path, key)
        with open(path, encoding="ascii") as stream:
            days = (ends(ssl.PEM_cert_to_DER_cert(_first(stream.read()))) - time.time()) / DAY_S
    except (OSError, ValueError) as error:
        return ["{} and {} are not a certificate and its key: {}".format(path, key, getattr(error, "strerror", error))]
    return [] if days >= least_days else [_near(path, days)]


def _first(text: str) -> str:
    """Return the first certificate of a chain: the one of the server or client itself."""
    end = "-----END CERTIFICATE-----"
    return text.partition(end)[0].strip() + "\n" + end


def ends(certificate: bytes) -> float:
    """Return when a certificate ends, in seconds since 1970."""
    found = VALIDITY.search(certificate)
    if found is None:
        raise ValueError("it says no end")
    return calendar.timegm(time.strptime(found.group(1).decode(), "%y%m%d%H%M%S"))


def _near(what: str, days: float) -> str:
    return "{} {}".format(what, "has ended" if days < 0 else "ends in {:.0f} days".format(days))


def mount(path: str) -> List[str]:
    """Look whether a directory is a mount, and write a file there."""
    with open("/proc/mounts", encoding="utf-8") as stream:
        if path not in {line.split()[1] for line in stream}:
            return ["nothing is mounted at {}".format(path)]
    try:
        made = run(["mktemp", os.path.join(path, ".verify.XXXXXXXX")], timeout_s=ANSWER_S * 2).strip()
        run(["rm", "-f", made], timeout_s=ANSWER_S * 2)
    except NodeError as error:
        return ["{} cannot be written: {}".format(path, error)]
    return []


def asked_for(*words: str) -> Dict[str, Any]:
    """Return what kubectl prints as JSON."""
    said: Dict[str, Any] = json.loads(cluster.kubectl(*words, "--output", "json", timeout_s=30))
    return said


def rollout(workload: str, left_out: List[str]) -> List[str]:
    """Look whether a workload runs as wanted, in as many pods as wanted.

    A node that is away is told by its own phases, and one that is `left_out` is so on purpose: what a DaemonSet lacks
    there is forgiven, and so is a pod of another workload whose labels no node has that is there.
    """
    kind, _, place = workload.partition(" ")
    namespace, _, name = place.partition("/")
    item = asked_for("--namespace", namespace, "get", "{}/{}".format(kind, name))
    spec, status = item["spec"], item.get("status", {})
    if kind == "DaemonSet":
        wanted, ready = status.get("desiredNumberScheduled", 0), status.get("numberReady", 0)
        updated = status.get("updatedNumberScheduled", 0)
    else:
        wanted, ready = spec.get("replicas", 1), status.get("readyReplicas", 0)
        updated = status.get("updatedReplicas", 0)
    if wanted == 0:
        return ["{} {} {}".format(kind, place, "runs nowhere" if kind == "DaemonSet" else "is scaled to 0")]
    current = status.get("observedGeneration") == item["metadata"].get("generation")
    if current and ready >= wanted and updated >= wanted:
        return []
    broken = "{} {} has {} of {} pods ready, {} up to date".format(kind, place, ready, wanted, updated)
    known = asked_for("get", "nodes")["items"]
    gone = {node["metadata"]["name"] for node in known if _gone(node, left_out)}
    if not current or not gone:
        return [broken]
    words = ",".join("{}={}".format(*pair) for pair in sorted(spec["selector"]["matchLabels"].items()))
    pods = asked_for("--namespace", namespace, "get", "pods", "--selector", words)["items"]
    if kind != "DaemonSet":
        missing = [pod for pod in pods if _fits_only(pod, gone, known)]
        return [] if updated >= wanted and ready + len(missing) >= wanted else [broken]
    here = [pod for pod in pods if pod["spec"].get("nodeName") not in gone]
    # Of nodes that are gone those lack a pod that have none, or one that is not counted as it should be.
    there = {pod["spec"].get("nodeName") for pod in pods} & gone
    absent = wanted - len(pods)
    sound = all(_is(pod, "Ready") for pod in here) and absent <= len(gone - there)
    if not sound or (updated < wanted and _behind(namespace, words, here)):
        return [broken]
    return []


def _gone(node: Dict[str, Any], left_out: List[str]) -> bool:
    return node["metadata"]["name"] in left_out or not _is(node, "Ready")


def _is(item: Dict[str, Any], wanted: str) -> bool:
    conditions = {one["type"]: one["status"] for one in item.get("status", {}).get("conditions", [])}
    return conditions.get(wanted) == "True"


def _fits_only(pod: Dict[str, Any], gone: Set[str], known: List[Dict[str, Any]]) -> bool:
    """Say whether a pod finds no place because all nodes that it may be on are gone."""
    wanted = (pod["spec"].get("nodeSelector") or {}).items()
    if not wanted or pod["spec"].get("nodeName") or pod["metadata"].get("deletionTimestamp"):
        return False
    conditions = {one["type"]: one for one in pod.get("status", {}).get("conditions", [])}
    if conditions.get("PodScheduled", {}).get("reason") != "Unschedulable":
        return False
    fit = {node["metadata"]["name"] for node in known if wanted <= node["metadata"].get("labels", {}).items()}
    return bool(fit) and fit <= gone


def _behind(namespace: str, words: str, pods: List[Dict[str, Any]]) -> bool:
    """Say whether a pod of a DaemonSet is of an earlier revision."""
    listed = asked_for("--namespace", namespace, "get", "controllerrevisions", "--selector", words)["items"]
    newest: Dict[str, Any] = max(listed, key=lambda one: int(one["revision"]), default={"metadata": {}})
    label = "controller-revision-hash"
    wanted = newest["metadata"].get("labels", {}).get(label)
    return any(pod["metadata"].get("labels", {}).get(label) != wanted for pod in pods)


def away() -> List[str]:
    """Return the nodes that are not ready."""
    return [str(item["metadata"]["name"]) for item in asked_for("get", "nodes")["items"] if _gone(item, [])]


def nodes(ready: List[str], allocatable: Dict[str, Dict[str, int]]) -> List[str]:
    """Look whether nodes are ready, and offer what they should."""
    there = {item["metadata"]["name"]: item for item in asked_for("get", "nodes")["items"]}
    found = []
    for name in ready:
        conditions = {one["type"]: one for one in there.get(name, {}).get("status", {}).get("conditions", [])}
        if name not in there:
            found.append("node {} is no member of the cluster".format(name))
        elif conditions.get("Ready", {}).get("status") != "True":
            found.append("node {} is not ready: {}".format(name, conditions.get("Ready", {}).get("message", "")))
    for name, resources in allocatable.items():
        offered = there.get(name, {}).get("status", {}).get("allocatable", {})
        found += [
            "node {} offers {} of {} {}".format(name, offered.get(resource, 0), count, resource)
            for resource, count in resources.items()
            if int(offered.get(resource, 0)) < int(count)
        ]
    return found


def condition(kind: str, wanted: str) -> List[str]:
    """Look whether all objects of a kind have a condition; there must be the kind, and may be no object."""
    found = []
    for item in asked_for("get", kind, "--all-namespaces")["items"]:
        conditions = {one["type"]: one for one in item.get("status", {}).get("conditions", [])}
        if conditions.get(wanted, {}).get("status") != "True":
            said = conditions.get(wanted, {}).get("message", "it says nothing of it")
            found.append("{} is not {}: {}".format(cluster.title(item), wanted, said))
    return some(found)


def dry_run(text: str) -> List[str]:
    """Ask the API server and the webhooks behind it for an object, without making it."""
    cluster.kubectl("create", "--dry-run=server", "--filename", "-", stdin=text, timeout_s=30)
    return []


def refusal(said: str, text: str) -> List[str]:
    """Ask the API server for an object that it must refuse in these words, without making it."""
    try:
        cluster.kubectl("create", "--dry-run=server", "--filename", "-", stdin=text, timeout_s=30)
    except NodeError as error:
        return [] if said in str(error) else ["the API server refuses it for another reason: {}".format(error)]
    return ["the API server admits what it must refuse ({})".format(said)]


def command(what: str, argv: List[str]) -> List[str]:
    """Run a program that asks something."""
    try:
        run([str(word) for word in argv], timeout_s=30)
    except NodeError as error:
        return ["{}: {}".format(what, error)]
    return []


def targets(place: str) -> List[str]:
    """Ask a Prometheus what it cannot reach."""
    namespace, _, service = place.partition("/")
    path = "/api/v1/namespaces/{}/services/{}/proxy/api/v1/targets?state=active".format(namespace, service)
    active = json.loads(cluster.kubectl("get", "--raw", path, timeout_s=30))["data"]["activeTargets"]
    if not active:
        return ["Prometheus measures nothing"]
    down = [one for one in active if one["health"] == "down"]
    gone = away() if down else []
    return some(
        [
            "Prometheus cannot reach {} ({}): {}".format(one["scrapeUrl"], one["scrapePool"], one["lastError"])
            for one in down
            if one.get("labels", {}).get("node") not in gone
        ]
    )
