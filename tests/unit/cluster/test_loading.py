"""Loading: what is right is taken as it is meant, and what is wrong is found wherever it hides."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from atoll.identity.schemas import UserName
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from installer.cluster import EXAMPLE, ClusterError, load, loads, reference, state_directory
from installer.cluster.defaults import shipped
from installer.cluster.json_schema import json_schema
from installer.cluster.schema import Cluster

SMALL = """\
name: small
nodes:
  - {name: master1, address: 10.0.0.11, roles: [master]}
  - {name: worker1, address: 10.0.0.21}
  - {name: storage1, address: 10.0.0.31, roles: [storage]}
"""


@pytest.fixture(autouse=True)
def _no_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path))


def told(text: str, installed: bool | None = None) -> str:
    with pytest.raises(ClusterError) as caught:
        loads(text, installed=installed)
    return str(caught.value)


def test_the_reference_topology_is_the_one_of_the_design() -> None:
    cluster = reference()
    assert cluster.name == "demo"
    assert cluster.lab is not None
    assert (cluster.lab.bridge, cluster.lab.address) == ("atoll0", "10.77.0.1/24")
    assert [(node.name, node.address, node.roles) for node in cluster.nodes] == [
        ("master1", "10.77.0.11", ["master"]),
        ("worker1", "10.77.0.21", ["worker"]),
        ("worker2", "10.77.0.22", ["worker"]),
        ("storage1", "10.77.0.31", ["storage"]),
    ]
    cards = [(card.type, card.count, card.driver) for node in cluster.nodes for card in node.accelerators]
    assert cards == [("nvidia_gpu_amd64", 8, "simulated"), ("huawei_npu_amd64", 8, "simulated")]


def test_the_example_shows_every_key() -> None:
    def keys(model: object, content: object, where: str) -> None:
        assert isinstance(content, dict), where
        assert set(model.model_fields) <= set(content), where  # type: ignore[attr-defined]

    content = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    keys(Cluster, content, "top")
    for name, field in Cluster.model_fields.items():
        if hasattr(field.annotation, "model_fields"):
            keys(field.annotation, content[name], name)
    from installer.cluster.schema import Accelerator, Lab, Node
    from installer.cluster.sections import FirstVirtualCluster

    keys(Lab, content["lab"], "lab")
    keys(Node, content["nodes"][0], "node")
    keys(Accelerator, content["nodes"][1]["accelerators"][0], "accelerator")
    keys(FirstVirtualCluster, content["platform"]["virtual_clusters"][0], "virtual cluster")


def test_the_example_shows_the_shipped_defaults() -> None:
    """Only the limits differ there (the text says so): nodes of one machine are small."""
    content = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    for section, defaults in shipped().items():
        if section != "resource_limit":
            assert content[section] == defaults, section


def test_the_shipped_limits_are_those_of_the_manual() -> None:
    limits = shipped()["resource_limit"]["huawei_npu_arm64"]
    assert limits["floor"] == {"cpu": "2", "memory": "400Mi"}
    assert limits["ceiling"] == {"cpu": "22", "memory": "80Gi"}


def test_a_section_without_content_has_its_defaults() -> None:
    assert loads(SMALL + "monitoring:\n").monitoring.retention_days == 15


def test_one_key_of_a_section_leaves_the_others_at_their_defaults() -> None:
    cluster = loads(SMALL + "monitoring: {retention_days: 7}\n")
    assert (cluster.monitoring.retention_days, cluster.monitoring.volume) == (7, "10Gi")


def test_the_short_form_of_a_limit_is_its_ceiling() -> None:
    limits = loads(SMALL + "resource_limit:\n  huawei_npu_arm64: {cpu: 20, memory: 64Gi}\n").resource_limit
    assert limits.huawei_npu_arm64.ceiling.model_dump() == {"cpu": "20", "memory": "64Gi"}
    assert limits.huawei_npu_arm64.floor.cpu == "2"


def test_numbers_are_taken_as_quantities() -> None:
    limits = loads(SMALL + "resource_limit: {cpu: {default: {cpu: 1.5, memory: 1Gi}}}\n").resource_limit
    assert limits.cpu.default.cpu == "1.5"


def test_a_node_may_be_reached_in_its_own_way() -> None:
    text = SMALL.replace("address: 10.0.0.21", "address: 10.0.0.21, ssh: {port: 2222, jump: gate}")
    cluster = loads(text + "ssh: {user: deploy, key_file: /keys/id}\n")
    worker, master = cluster.ssh_of(cluster.node("worker1")), cluster.ssh_of(cluster.node("master1"))
    assert (worker.user, worker.port, worker.jump, worker.key_file) == ("deploy", 2222, "gate", "/keys/id")
    assert (master.port, master.jump) == (22, None)
    assert worker.uses_sudo


def test_the_registry_runs_on_storage_nodes_else_on_masters() -> None:
    assert [node.name for node in loads(SMALL).registry_nodes] == ["storage1"]
    alone = loads(
        "name: one\nnodes: [{name: a, address: 10.0.0.1, roles: [master, worker]}]\nstorage: {driver: local}\n"
    )
    assert [node.name for node in alone.registry_nodes] == ["a"]


def test_an_even_number_of_masters_is_a_mistake_on_a_first_install_only(tmp_path: Path) -> None:
    text = SMALL + "  - {name: master2, address: 10.0.0.12, roles: [master]}\n"
    assert "even number of masters" in told(text)
    assert len(loads(text, installed=True).masters) == 2
    state = state_directory("small")
    state.mkdir(parents=True)
    (state / "admin.conf").touch()
    assert len(loads(text).masters) == 2


def test_checks_of_several_values_run_although_a_value_is_wrong() -> None:
    said = told(SMALL.replace("10.0.0.21", "10.0.0.11") + "  - {name: x_x, address: 10.0.0.41}\nsmtp: {port: often}\n")
    assert "cluster.yaml:4: node `worker1`: `address` 10.0.0.11 is that of node `master1` too." in said
    assert "cluster.yaml:6: node `x_x`: `name`" in said
    assert "cluster.yaml:7: `smtp.port` must be a whole number" in said


def test_a_node_that_cannot_be_read_is_not_counted_as_missing() -> None:
    said = told(SMALL.replace("[master]", "[masterr]").replace("[storage]", "[store]"))
    assert "no node has the role" not in said
    assert "needs a node with the role" not in said


def test_a_mistake_in_a_value_of_several_lines_has_its_own_line() -> None:
    said = told(SMALL.replace("  - {name: worker1, address: 10.0.0.21}", "  - name: worker1\n    address: here\n"))
    assert said.startswith("cluster.yaml:5: node `worker1`: `address`: `here` is not an IPv4 address.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "cluster.yaml:1: a cluster.yaml has keys at its top, but this one is empty."),
        ("- a\n", "but this one is a list."),
        ("name: a\n\tnodes: []\n", "cluster.yaml:2: this is not YAML"),
        ("name: a\nnodes: []\n", "cluster.yaml:2: `nodes` is empty."),
        ("name: a\nnodes: [1, {name: b}]\n", "`nodes[0]` must be a group of keys, not `1`."),
        ("nodes: {a: b}\n", "`nodes` must be a list, not a group of keys."),
        ("name: !!python/object:os.system x\n", "this is not YAML"),
    ],
)
def test_what_is_no_cluster_at_all_is_said_so(text: str, expected: str) -> None:
    assert expected in told(text)


def test_a_file_that_is_not_there_or_not_text_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ClusterError, match="No such file"):
        load(tmp_path / "absent.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"name: a\n\xff\xfe")
    with pytest.raises(ClusterError, match=r"binary.yaml:2: this is not UTF-8 text"):
        load(tmp_path / "binary.yaml")


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("network: {pod_network: 10.244.1.0/16}\n", "Write a network like 10.244.0.0/16."),
        ("network: {node_prefix: 27}\n", "has addresses"),
        ("network: {pod_network: 10.244.0.0/24}\n", "leaves no network for a node"),
        ("network: {pod_network: 10.244.0.0/23}\n", "has room for 2 nodes, here are 3"),
        ("network: {service_network: 10.0.0.0/16}\n", "contains addresses of nodes"),
        ("storage: {driver: local}\n", "keeps files on one node, but here are 3 nodes"),
        ("storage: {driver: nfs}\n", "needs `storage.nfs`"),
        ("storage: {nfs: {server: nas, path: /x}}\n", "but `storage.driver` is `glusterfs`"),
        ("registry: {driver: harbor}\n", "`registry.harbor` is missing"),
        ("registry: {nodes: [nobody]}\n", "there is no node `nobody`"),
        ("kubernetes: {virtual_address: 10.0.0.21}\n", "is that of node `worker1` too"),
        ("kubernetes: {virtual_address: 10.0.0.99}\n", "needs three masters, here is 1"),
        ("platform: {certificate_file: /a.crt}\n", "without `platform.key_file`"),
        ("platform: {origin: http://x}\n", "`http://x` is not the address of a portal"),
        ("platform: {virtual_clusters: [{name: a, devices: {nvidia_gpu_amd64: 1}}]}\n", "no node has"),
        ("platform: {virtual_clusters: [{name: a}, {name: a}]}\n", "virtual cluster `a` is there twice"),
        ("database: {memory: 512Mi}\n", "`database.memory: 512Mi` is too little"),
        ("smtp: {host: mail}\n", "without `smtp.sender`"),
        ("smtp: {user: me}\n", "without `smtp.password_file`"),
        ("resource_limit: {request_ratio: 2}\n", "must be at most 1"),
        ("resource_limit: {nvidia_gup: {cpu: 2}}\n", "Did you mean `nvidia_gpu_amd64`?"),
        ("resource_limit: {cpu: {default: {cpu: -1}}}\n", "`-1` is not a quantity"),
        ("lab: {address: 10.0.0.21/24}\n", "is this machine's own on the bridge"),
        ("lab: {address: 10.0.0.1/24, nodes: {worker9: {cpus: 2}}}\n", "there is no node `worker9`"),
        ("ssh: {jump: 'a b'}\n", "`a b` is not an SSH jump host"),
        ("ssh: {key_file: keys/id}\n", "`keys/id` is not an absolute path"),
    ],
)
def test_a_section_that_cannot_work_is_refused(extra: str, expected: str) -> None:
    assert expected in told(SMALL + extra)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("roles: [worker, worker]", "a role is there twice"),
        ("roles: [storage], accelerators: [{type: nvidia_gpu_amd64, count: 1}]", "no task ever runs on it"),
        ("accelerators: [{type: nvidia_gpu_amd64, count: 0}]", "must be at least 1, not `0`"),
        ("accelerators: [{type: nvidia_gpu_amd64, count: 17}]", "cannot have 17"),
        ("accelerators: [{type: nvidia_gpu_amd64, count: 1, driver: ascend}]", "driver `ascend` does not serve"),
        (
            "accelerators: [{type: nvidia_gpu_amd64, count: 1}, {type: nvidia_gpu_amd64, count: 2}]",
            "`nvidia_gpu_amd64` is there twice",
        ),
        (
            "accelerators: [{type: nvidia_gpu_amd64, count: 1}, {type: huawei_npu_amd64, count: 2}]",
            "two vendors in one node",
        ),
        ("data_disks: [{device: sdb, mount: /srv}]", "`sdb` is not a device"),
        ("data_disks: [{device: /srv/x, mount: /srv}]", "`/srv/x` is not a device"),
        ("data_disks: [{device: /dev/sdb, mount: /etc}]", "would hide the system's own files"),
        ("data_disks: [{device: /dev/b, mount: /srv}, {device: /dev/c, mount: /srv}]", "is used by two data disks"),
        ("labels: {kubernetes.io/arch: x}", "belongs to Kubernetes"),
        ("host_key: nonsense", "is not a public SSH host key"),
        ("accelerators: [{type: nvidia_gpu_amd64, count: yes}]", "must be a whole number, not `True`"),
        ("maintenance: perhaps", "must be true or false"),
        ("arch: x86_64", "Choose `amd64` or `arm64`."),
    ],
)
def test_a_node_that_cannot_work_is_refused(node: str, expected: str) -> None:
    assert expected in told(SMALL + f"  - {{name: extra1, address: 10.0.0.41, {node}}}\n")


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("data_disks: [{device: /dev/sdb, mount: /srv}]", "a lab node has no disks of its own"),
        ("accelerators: [{type: nvidia_gpu_amd64, count: 8}]", "Write `driver: simulated`."),
        ("arch: arm64", "has the architecture of this machine"),
    ],
)
def test_a_lab_has_only_what_this_machine_can_give(node: str, expected: str) -> None:
    extra = f"  - {{name: extra1, address: 10.0.0.41, {node}}}\nlab: {{address: 10.0.0.1/24}}\n"
    assert expected in told(SMALL + extra)


def test_a_node_named_like_a_group_is_refused() -> None:
    assert "`name` storage is also a group of nodes" in told(SMALL.replace("storage1", "storage"))


def test_the_json_schema_says_what_must_be_there_and_what_the_defaults_are() -> None:
    schema = json_schema()
    assert schema["required"] == ["name", "nodes"]
    monitoring = schema["$defs"]["Monitoring"]
    assert monitoring["properties"]["retention_days"]["default"] == 15
    assert "required" not in monitoring
    assert schema["additionalProperties"] is False


def test_editors_accept_what_we_accept_and_refuse_unknown_keys() -> None:
    validator = Draft202012Validator(json_schema())
    validator.check_schema(json_schema())
    assert not list(validator.iter_errors(yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))))
    assert not list(validator.iter_errors(yaml.safe_load(SMALL + "resource_limit: {cpu: {floor: {cpu: 1}}}\n")))
    short = "resource_limit: {huawei_npu_arm64: {cpu: 22, memory: 80Gi}}\n"
    assert not list(validator.iter_errors(yaml.safe_load(SMALL + short)))
    assert list(validator.iter_errors(yaml.safe_load(SMALL + "regsitry: {}\n")))
    assert list(validator.iter_errors(yaml.safe_load(SMALL + "resource_limit: {cpu: {floor: {cpu: 80GB}}}\n")))


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 10)}]\n" for old, new in ("ab", "bc", "cd", "de", "ef", "fg")
)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("name: small\nnodes:\n  - name: a\x07b\n", 3, "U+0007"),
        ("name: small\nnodes: &all [*all]\n", 1, "alias"),
        ("a: " + "[" * 3000, 1, "brackets"),
        ("name: small\nlabels: {since: 2026-13-45}\n", 2, "month"),
        (LAUGHS, 1, "values"),
    ],
    ids=["control character", "alias of itself", "brackets", "no date", "aliases of aliases"],
)
def test_yaml_that_no_reader_takes_is_named_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(ClusterError) as caught:
        loads(text)
    (mistake,) = caught.value.mistakes
    assert mistake.line == line
    assert words in mistake.message
    assert mistake.remedy


@pytest.mark.parametrize(
    ("slip", "more"),
    [
        ("address: 10.0.0.21, rack: a1}", ""),  # of the node itself
        ("address: 10.0.0.21, arch: mips}", ""),
        ("address: 10.0.0.21}", "colours: blue\n"),  # elsewhere
        ("address: 10.0.0.21}", "monitoring: {volume: much, retention_days: x}\n"),
    ],
)
def test_what_several_values_say_together_is_told_beside_mistakes_of_other_kinds(slip: str, more: str) -> None:
    twin = "  - {name: master1, address: 10.0.0.11, roles: [master]}\n"
    said = told(SMALL.replace("address: 10.0.0.21}", slip) + twin + more)
    assert "cluster.yaml:6: node `master1`: `name` is that of node 1 of the list too." in said
    assert "cluster.yaml:6: node `master1`: `address` 10.0.0.11 is that of node `master1` too." in said
    assert "cluster.yaml:6: node `master1`: this is master number 2" in said


@pytest.mark.parametrize(
    "text",
    [
        SMALL.replace("roles: [master]", "role: [master]"),
        SMALL.replace("roles: [master]", "roles: master"),
        SMALL.replace("name: master1, ", ""),
        SMALL + "network: {pod_networks: 10.1.0.0/16, service_network: 10.244.0.0/20}\n",
        SMALL + "network: {pod_network: 10.1.0, service_network: 10.244.0.0/20}\n",
        SMALL.replace("address: 10.0.0.31", "address: 10.0.0"),
    ],
)
def test_nothing_is_told_that_is_right_once_the_mistake_is_mended(text: str) -> None:
    assert told(text, installed=False).count("cluster.yaml:") == 1, told(text)


def test_a_node_whose_name_cannot_be_read_is_called_by_its_number() -> None:
    said = told(SMALL.replace("name: master1", "name: Master_1").replace("10.0.0.21", "10.0.0.11"))
    assert "node `worker1`: `address` 10.0.0.11 is that of node 1 of the list too." in said
    assert "unread" not in said


@pytest.mark.parametrize("name", ["ada", "a1", "x-y", "a" * 32, "a" * 33, "a", "a-", "-a", "1a", "Ada", "a_b", "a b"])
def test_quotas_are_of_those_whom_the_platform_would_name_so(name: str) -> None:
    text = f"{SMALL}storage: {{user_quotas: {{{name}: 1Gi}}}}\n"
    with contextlib.nullcontext() if named(name) else pytest.raises(ClusterError, match="name of an account"):
        loads(text)


def named(name: str) -> bool:
    try:
        TypeAdapter(UserName).validate_python(name)
    except ValidationError:
        return False
    return True
