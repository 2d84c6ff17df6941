"""What the API server is told of who asks, and who a node that joins says it is. Needs nothing."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from installer.cluster import load
from installer.preflight.node_checks import needed_bytes

from .conftest import REFERENCE, TREE, Rendered, Rendering

ETCD_BYTES = 2 << 30
EVENT_BYTES = 48 << 10  # what roles/network/templates/admission.yaml.j2 lets one of a node have


def test_the_api_server_is_told_whom_to_answer_and_what_to_write_down(rendered: Rendered) -> None:
    texts = {file.dest: file.text or "" for file in rendered.files if file.host == "master1"}
    anonymous = yaml.safe_load(texts["/etc/atoll/kubernetes/authentication.yaml"])["anonymous"]
    assert [condition["path"] for condition in anonymous["conditions"]] == ["/livez", "/readyz", "/healthz"]
    configuration = yaml.safe_load_all(texts["/etc/atoll/kubeadm/init.yaml"])
    (cluster,) = [one for one in configuration if one["kind"] == "ClusterConfiguration"]
    flags = {flag["name"]: flag["value"] for flag in cluster["apiServer"]["extraArgs"]}
    assert flags["authentication-config"] == "/etc/atoll/kubernetes/authentication.yaml"
    assert flags["audit-policy-file"] in texts
    assert flags["admission-control-config-file"] in texts
    assert flags["enable-bootstrap-token-auth"] == "false"


def test_etcd_says_no_before_the_disk_that_preflight_saw_is_full(rendered: Rendered) -> None:
    texts = {file.dest: file.text or "" for file in rendered.files if file.host == "master1"}
    (cluster,) = [one for one in yaml.safe_load_all(texts["/etc/atoll/kubeadm/init.yaml"]) if "apiServer" in one]
    flags = {flag["name"]: flag["value"] for flag in cluster["etcd"]["local"]["extraArgs"]}
    quota = int(flags["quota-backend-bytes"])
    example = load(TREE / "cluster.example.yaml")
    assert quota <= needed_bytes(example, example.node("master1"))["/var/lib/etcd"], "the disk is full first"
    assert quota == ETCD_BYTES, "what follows reckons with another"
    assert (flags["auto-compaction-mode"], flags["auto-compaction-retention"]) == ("periodic", "30m")


def test_what_one_account_tells_of_events_is_a_small_part_of_etcd(rendered: Rendered) -> None:
    texts = {file.dest: file.text or "" for file in rendered.files if file.host == "master1"}
    (cluster,) = [one for one in yaml.safe_load_all(texts["/etc/atoll/kubeadm/init.yaml"]) if "apiServer" in one]
    flags = {flag["name"]: flag["value"] for flag in cluster["apiServer"]["extraArgs"]}
    assert "EventRateLimit" in flags["enable-admission-plugins"].split(","), "events are told without end"
    (plugin,) = yaml.safe_load(texts[flags["admission-control-config-file"]])["plugins"]
    (limit,) = plugin["configuration"]["limits"]
    assert (plugin["name"], limit["type"]) == ("EventRateLimit", "User")
    kept = limit["qps"] * 3600 + limit["burst"]  # for an hour
    assert kept * EVENT_BYTES < ETCD_BYTES / 4, "one account fills etcd with events"


def test_exec_and_reads_of_secrets_are_written_down_before_reads_and_noise_are_dropped(rendered: Rendered) -> None:
    asked = (("get", "pods/exec"), ("create", "pods/attach"), ("list", "secrets"), ("list", "pods"))
    found = levels(rendered, asked)
    assert found == ["Metadata", "Metadata", "Metadata", "None"], found


def test_tokens_and_writes_to_nodes_are_written_down_whoever_it_is(rendered: Rendered) -> None:
    asked = (
        ("create", "serviceaccounts/token"),
        ("create", "certificatesigningrequests"),
        ("update", "certificatesigningrequests/approval"),
        *((verb, "nodes") for verb in ("create", "update", "patch", "delete")),
    )
    found = levels(rendered, asked)
    assert found == ["Metadata"] * len(asked), found
    noise = (("patch", "nodes/status"), ("get", "nodes"), ("update", "leases"), ("watch", "certificatesigningrequests"))
    assert levels(rendered, noise) == ["None"] * len(noise)


def test_which_pods_a_node_makes_and_removes_is_written_down_and_not_how_they_are(rendered: Rendered) -> None:
    """A kubelet tells every few seconds how its pods are, and makes none but for its static pods."""
    (text,) = [file.text or "" for file in rendered.files if file.dest == "/etc/atoll/kubernetes/audit.yaml"]
    asked = (("create", "pods"), ("delete", "pods"), ("patch", "pods/status"), ("get", "pods"), ("create", "events"))
    rules = yaml.safe_load(text)["rules"]
    found = [next(rule["level"] for rule in rules if audits(rule, "system:nodes", *one)) for one in asked]
    assert found == ["Metadata", "Metadata", "None", "None", "None"]


def levels(rendered: Rendered, asked: tuple[tuple[str, str], ...]) -> list[str]:
    """How much is written of each: verb and resource, asked by a node or an account of the system."""
    (text,) = [file.text or "" for file in rendered.files if file.dest == "/etc/atoll/kubernetes/audit.yaml"]
    rules = yaml.safe_load(text)["rules"]
    found = {
        group: [next(rule["level"] for rule in rules if audits(rule, group, *one)) for one in asked]
        for group in ("system:nodes", "system:serviceaccounts:kube-system")
    }
    one, other = found.values()
    assert one == other, found
    return one


def audits(rule: dict[str, Any], group: str, verb: str, name: str) -> bool:
    """Whether a rule is about what is done by a group whose other doings are noise."""
    names = {name for group in rule.get("resources", ()) for name in group["resources"]}
    groups = rule.get("userGroups", [group]) if "users" not in rule else []
    about = not names or bool(names & {name, f"{name.partition('/')[0]}/*"})
    return group in groups and verb in rule.get("verbs", [verb]) and about


@pytest.mark.parametrize(("shape", "others"), [(REFERENCE, 3), ("three_masters", 2)])
def test_a_node_joins_as_itself_by_a_certificate_that_no_other_node_has(
    rendering: Rendering, shape: str, others: int
) -> None:
    """By a token, which is good for any name, who is root there could become another node, a master too."""
    rendered = rendering(shape)
    hosts = {call["host"] for call in rendered.calls if call["args"].get("verb") == "join"}
    assert len(hosts) == others
    written = {host: {file.dest: file for file in rendered.files if file.host == host} for host in hosts}
    keys = set()
    for host, files in written.items():
        (user,) = yaml.safe_load(files["/etc/atoll/kubeadm/discovery.conf"].text or "")["users"]
        assert user["user"].keys() == {"client-certificate", "client-key"}, "it joins by something else"
        assert "oken" not in (files["/etc/atoll/kubeadm/join.yaml"].text or "")
        certificate = x509.load_pem_x509_certificate((files[user["user"]["client-certificate"]].text or "").encode())
        assert certificate.subject.rfc4514_string() == f"CN=system:node:{host},O=system:nodes"
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
        assert set(usage) == {ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH}, "what it is good for"
        keys.add(files[user["user"]["client-key"]].text)
    assert len(keys) == others
    of_keys = [
        file
        for call in rendered.of("atoll_files")
        for file in call["args"]["files"]
        if file["dest"] == "/etc/atoll/pki/kubelet.key"
    ]
    assert {(file["mode"], file["secret"]) for file in of_keys} == {("0600", True)}
