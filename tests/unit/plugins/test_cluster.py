"""Objects, labels, kubeadm, names: what needs no cluster. Needs nothing."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail


def live(spec: Any, fields: Any, **more: Any) -> dict[str, Any]:
    managed = {"manager": "atoll", "operation": "Apply", "fieldsV1": fields}
    metadata = {"name": "one", "namespace": "a", "resourceVersion": "1", "managedFields": [managed]}
    return {"apiVersion": "v1", "kind": "Thing", "metadata": {**metadata, **more}, "spec": spec, "status": {}}


FIELDS: dict[str, Any] = {"f:spec": {"f:replicas": {}, "f:ports": {'k:{"port":80}': {".": {}, "f:name": {}}}}}
SPEC = {"replicas": 1, "clusterIP": "10.0.0.1", "ports": [{"port": 443}, {"port": 80, "name": "web", "nodePort": 3}]}


def test_fields_of_others_do_not_count(module_utility: Any) -> None:
    cluster = module_utility("atoll_cluster")
    same = {**SPEC, "clusterIP": "10.0.0.9", "ports": [{"port": 80, "name": "web", "nodePort": 4}]}
    assert cluster.digest(live(SPEC, FIELDS), FIELDS) == cluster.digest(live(same, FIELDS), FIELDS)


@pytest.mark.parametrize(
    "spec",
    [
        {**SPEC, "replicas": 2},
        {**SPEC, "ports": [{"port": 80, "name": "other"}]},
        {**SPEC, "ports": [{"port": 443}]},
        {key: value for key, value in SPEC.items() if key != "replicas"},
    ],
)
def test_our_fields_do(module_utility: Any, spec: Any) -> None:
    cluster = module_utility("atoll_cluster")
    assert cluster.digest(live(SPEC, FIELDS), FIELDS) != cluster.digest(live(spec, FIELDS), FIELDS)


def test_a_field_that_somebody_took_over_counts_by_its_value(module_utility: Any) -> None:
    cluster = module_utility("atoll_cluster")
    ours = cluster.owned(live(SPEC, FIELDS))
    taken = {"f:spec": {"f:ports": FIELDS["f:spec"]["f:ports"]}}
    before = cluster.digest(live(SPEC, FIELDS), ours)
    assert cluster.digest(live(SPEC, taken), ours) == before
    assert cluster.digest(live({**SPEC, "replicas": 0}, taken), ours) != before


def test_what_controllers_write_is_no_change(module_utility: Any) -> None:
    cluster = module_utility("atoll_cluster")
    one = live(SPEC, FIELDS, annotations={"deployment.kubernetes.io/revision": "1", "mine": "x"})
    two = live(SPEC, FIELDS, annotations={"deployment.kubernetes.io/revision": "2", "mine": "x"})
    two["metadata"]["resourceVersion"], two["status"] = "2", {"ready": 1}
    assert cluster.stripped(one) == cluster.stripped(two)
    two["metadata"]["annotations"]["mine"] = "y"
    assert cluster.stripped(one) != cluster.stripped(two)


KUBECTL = """
case "$3" in
get) cat {there} ;;
apply) cat > {applied}; cat {there_after} ;;
delete) cat >> {deleted} ;;
esac
"""


def test_objects_that_are_not_wanted_any_more_are_removed(run: Any, programs: Any, tmp_path: Path) -> None:
    items = [live(SPEC, FIELDS, name=name) for name in ("one", "two")]
    for name, content in (("there", items), ("after", items)):
        (tmp_path / name).write_text(json.dumps({"kind": "List", "items": content}))
    paths = {"there": tmp_path / "there", "there_after": tmp_path / "after"}
    programs("kubectl", KUBECTL.format(**paths, applied=tmp_path / "applied", deleted=tmp_path / "deleted"))
    thing = {"apiVersion": "v1", "kind": "Thing"}
    bare = [{**thing, "metadata": {"name": name, "namespace": "a"}} for name in ("one", "two")]
    first = run("atoll_objects", phase="demo", objects=bare)
    assert (first["changed"], first["removed"]) == (False, [])
    applied = json.loads((tmp_path / "applied").read_text())["items"][0]
    assert applied["metadata"]["labels"] == {"atoll.io/phase": "demo"}
    (tmp_path / "after").write_text(json.dumps({"kind": "List", "items": items[:1]}))
    other = run("atoll_objects", phase="demo", part="other", objects=bare[:1])
    assert other["removed"] == []
    second = run("atoll_objects", phase="demo", objects=bare[:1])
    assert second["removed"] == ["Thing a/two"]
    assert json.loads((tmp_path / "deleted").read_text())["metadata"] == {"name": "two", "namespace": "a"}


def test_what_is_applied_stands_on_no_command_line(run: Any, programs: Any, tmp_path: Path) -> None:
    """Whoever has an account on the node reads those."""
    item = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one", "namespace": "a"}}
    (tmp_path / "none").write_text(json.dumps({"kind": "List", "items": []}))
    (tmp_path / "after").write_text(json.dumps({"kind": "List", "items": [live({}, {})]}))
    paths = {"there": tmp_path / "none", "there_after": tmp_path / "after"}
    log = programs("kubectl", KUBECTL.format(**paths, applied=tmp_path / "applied", deleted=tmp_path / "deleted"))
    run("atoll_objects", phase="demo", objects=[{**item, "stringData": {"password": "s3cr3t-word"}}])
    assert "s3cr3t-word" in (tmp_path / "applied").read_text()
    assert "s3cr3t-word" not in log.read_text()


def test_what_somebody_else_has_made_is_noted_on_and_never_removed(run: Any, programs: Any, tmp_path: Path) -> None:
    items = [live(SPEC, FIELDS, name="one", annotations={"atoll.io/made-by": "kubeadm"})]
    (tmp_path / "there").write_text(json.dumps({"kind": "List", "items": items}))
    paths = {"there": tmp_path / "there", "there_after": tmp_path / "there"}
    programs("kubectl", KUBECTL.format(**paths, applied=tmp_path / "applied", deleted=tmp_path / "deleted"))
    metadata = {"name": "one", "namespace": "a", "annotations": {"atoll.io/made-by": "kubeadm"}}
    run("atoll_objects", phase="demo", objects=[{"apiVersion": "v1", "kind": "Thing", "metadata": metadata}])
    assert json.loads((tmp_path / "applied").read_text())["items"], "it is applied"
    # Also a tree that knows nothing of it, and reads the same book, leaves it.
    assert not (tmp_path / "state" / "managed" / "demo.json").exists()
    (tmp_path / "there").write_text(json.dumps({"kind": "List", "items": []}))
    assert run("atoll_objects", phase="demo", objects=[])["removed"] == []
    assert not (tmp_path / "deleted").exists()


def test_manifests_are_read_on_the_control_host(plugin: Any, tmp_path: Path) -> None:
    objects_of = plugin("action", "atoll_objects").objects_of
    file = tmp_path / "things.yaml"
    file.write_text("apiVersion: v1\nkind: A\nmetadata: {name: x}\ndata: {day: 2026-01-02}\n---\n---\n")
    found = objects_of([str(file), "kind: B\napiVersion: v1\nmetadata:\n  name: y\n"])
    assert [item["kind"] for item in found] == ["A", "B"]
    assert found[0]["data"]["day"] == "2026-01-02"
    with pytest.raises(AnsibleActionFail, match="there twice"):
        objects_of([str(file), str(file)])
    with pytest.raises(AnsibleActionFail, match="is missing"):
        objects_of([str(tmp_path / "nowhere.yaml")])


@pytest.mark.parametrize(
    ("marker", "files", "state"),
    [
        (None, [], "new"),
        (None, ["admin.conf"], "foreign"),
        (None, ["manifests/etcd.yaml"], "foreign"),
        ({"state": "running"}, ["admin.conf", "manifests/etcd.yaml"], "half"),
        ({"state": "done"}, [], "half"),
        ({"state": "done"}, ["admin.conf"], "done"),
        ({"state": "done"}, ["manifests/etcd.yaml"], "damaged"),
    ],
)
def test_kubeadm_knows_where_it_was(plugin: Any, tmp_path: Path, marker: Any, files: list[str], state: str) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert plugin("modules", "atoll_kubeadm").state_of(marker, "init", str(tmp_path)) == state


def test_a_clean_up_puts_the_authorities_back(plugin: Any, programs: Any, tmp_path: Path) -> None:
    authority = tmp_path / "pki/ca.key"
    authority.parent.mkdir()
    authority.write_text("key")
    authority.chmod(0o600)
    log = programs("kubeadm", f"rm -r {authority.parent}")
    plugin("modules", "atoll_kubeadm").clean([str(authority), str(tmp_path / "none")], None, leftovers=())
    assert log.read_text().startswith("kubeadm reset --force")
    assert authority.read_text() == "key"
    assert authority.stat().st_mode & 0o7777 == 0o600


def test_labels_of_a_node_are_changed_where_they_differ_and_those_of_others_stay(
    run: Any, programs: Any, tmp_path: Path
) -> None:
    node: dict[str, Any] = {
        "kind": "Node",
        "metadata": {"name": "two", "labels": {"foreign": "x", "atoll.io/old": "1"}},
    }
    (tmp_path / "nodes").write_text(json.dumps({"kind": "List", "items": [node]}))
    log = programs("kubectl", f"cat {tmp_path}/nodes")
    answer = run("atoll_node_labels", nodes={"two": {"a": "b"}, "none": {}}, owned=["atoll.io/"])
    assert (answer["changed"], answer["nodes"]) == (True, ["two"])
    assert json.dumps({"metadata": {"labels": {"a": "b", "atoll.io/old": None}}}) in log.read_text()
    node["metadata"]["labels"] = {"foreign": "x", "a": "b"}
    (tmp_path / "nodes").write_text(json.dumps({"kind": "List", "items": [node]}))
    assert not run("atoll_node_labels", nodes={"two": {"a": "b"}}, owned=["atoll.io/"])["changed"]


@pytest.fixture
def name_server() -> Iterator[socket.socket]:
    """A name server that answers every question with 10.96.0.1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(10)

        def answer() -> None:
            asked, who = server.recvfrom(512)
            head = asked[:2] + struct.pack(">HHHHH", 0x8180, 1, 1, 0, 0)
            answered = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 30, 4) + bytes((10, 96, 0, 1))
            server.sendto(head + asked[12:] + answered, who)

        thread = threading.Thread(target=answer)
        thread.start()
        yield server
        thread.join()


def test_an_answer_of_a_name_server_is_read(module_utility: Any, name_server: socket.socket) -> None:
    resolves = module_utility("atoll_names")
    asked = resolves.question("kubernetes.default.svc.cluster.local", 7)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        channel.connect(name_server.getsockname())
        channel.send(asked)
        assert resolves.address_in(channel.recv(512), asked) == "10.96.0.1"


def test_a_refusal_of_a_name_server_is_told(module_utility: Any) -> None:
    resolves = module_utility("atoll_names")
    asked = resolves.question("x", 7)
    refused = asked[:2] + struct.pack(">HHHHH", 0x8185, 1, 0, 0, 0) + asked[12:]
    with pytest.raises(module_utility("atoll_node").NodeError, match="code 5"):
        resolves.address_in(refused, asked)


REFUSED = 'failed calling webhook "a.b": Post "https://x": dial tcp 10.96.0.9:443: connect: connection refused'


@pytest.mark.parametrize(("said", "asked"), [([REFUSED, REFUSED], 3), (["is forbidden"], 1), ([REFUSED] * 99, 32)])
def test_a_webhook_that_nobody_reaches_yet_is_asked_again_for_half_a_minute(
    plugin: Any, module_utility: Any, monkeypatch: pytest.MonkeyPatch, said: list[str], asked: int
) -> None:
    module, error = plugin("modules", "atoll_objects"), module_utility("atoll_node").NodeError
    now, calls = [0.0], list[str]()

    def kubectl(*words: str, stdin: str) -> str:
        calls.append(stdin)
        if len(calls) <= len(said):
            raise error(said[len(calls) - 1])
        return "applied"

    monkeypatch.setattr(module.cluster, "kubectl", kubectl)
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(module.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    if asked > len(said):
        assert module._when_webhooks_answer(["apply"], "objects") == "applied"
    else:
        with pytest.raises(error):
            module._when_webhooks_answer(["apply"], "objects")
    assert len(calls) == asked
