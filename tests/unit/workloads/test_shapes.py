"""Every phase, rendered for clusters of many shapes: what it makes is read by those who read it in earnest, or checked.

A shape that no role carries out yet is refused in words. Needs nothing; with a bundle in the cache kubeadm reads too.
"""

from __future__ import annotations

import configparser
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import home_quotas
import pytest
import yaml
from atoll.configuration import Configuration
from cryptography import x509

from installer.cluster import Cluster, bundle_directory, load
from installer.cluster.drivers import REGISTRY, STORAGE
from installer.planning.phases import PHASES
from installer.planning.projection import nodes_of
from installer.preflight.support import check_support

from .conftest import SHAPES, TREE, Rendered, Rendering

NAMES = sorted(file.stem for file in SHAPES.glob("*.yaml"))


def of(name: str) -> Cluster:
    return load(SHAPES / f"{name}.yaml", installed=False)


def not_carried_out(cluster: Cluster) -> list[str]:
    """The drivers of a cluster that no role has a folder for, as preflight names them."""
    chosen = {"storage": cluster.storage.driver, "registry": cluster.registry.driver}
    return [
        f"`{role}.driver: {driver}` is not carried out yet"
        for role, driver in chosen.items()
        if not (TREE / "roles" / role / "tasks" / driver).is_dir()
    ]


# What preflight says of a shape that no role carries out yet. Refused, and yet every template can be made of it.
REFUSED = {"several_registries": ["a registry on several nodes is not carried out yet"]}
RENDERED = [name for name in NAMES if not not_carried_out(of(name))]
# Where null says something: no limit.
MAY_BE_NULL = {"max_hours", "limit"}
OBJECT_NAME = re.compile(r"[a-z0-9]([a-z0-9.:-]*[a-z0-9])?")


class Shape:
    """A cluster, and what all roles make of it."""

    def __init__(self, name: str, rendered: Rendered) -> None:
        self.name = name
        self.rendered = rendered
        self.cluster = of(name)


@pytest.fixture(scope="module", params=RENDERED)
def shape(request: pytest.FixtureRequest, rendering: Rendering) -> Shape:
    return Shape(request.param, rendering(request.param))


def documents(text: str) -> list[Any]:
    return [document for document in yaml.safe_load_all(text) if document is not None]


def nulls(value: Any, where: str) -> Iterator[str]:
    """Say where null stands: what a loop over nothing leaves behind a key, and no list or mapping."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if inner is None and key not in MAY_BE_NULL:
                yield f"{where}.{key}"
            yield from nulls(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from [f"{where}[{index}]"] if inner is None else nulls(inner, f"{where}[{index}]")


def configuration_files(rendered: Rendered) -> Iterator[tuple[str, str]]:
    """Yield every file that a service or node reads, with its name."""
    for file in rendered.files:
        if file.text is not None:
            yield f"{file.host}:{file.dest}", file.text
    for item in rendered.objects():
        if item["kind"] == "ConfigMap":
            for key, text in item.get("data", {}).items():
                yield f"{item['metadata']['name']}:{key}", text


@pytest.mark.parametrize("name", NAMES)
def test_what_no_role_carries_out_is_refused_in_words_and_nothing_else(name: str) -> None:
    found = [finding for finding in check_support(of(name)) if finding.severity == "error"]
    assert [finding.evidence for finding in found] == [*not_carried_out(of(name)), *REFUSED.get(name, [])]
    assert all(finding.remedy for finding in found)


def test_the_table_has_the_shapes_that_people_build() -> None:
    clusters = {name: of(name) for name in NAMES}
    types = {name: cluster.device_types for name, cluster in clusters.items()}
    assert [len(cluster.nodes) for cluster in (clusters["one_node"], clusters["local_storage"])] == [1, 1]
    assert types["cpu_only"] == []
    assert types["gpu_only"] == ["nvidia_gpu_amd64"]
    assert types["npu_only"] == ["huawei_npu_amd64"]
    assert len(clusters["three_masters"].masters) == 3
    assert clusters["local_storage"].storage_nodes == []
    assert len(clusters["several_registries"].registry_nodes) > 1
    assert [node.name for node in clusters["fenced"].fenced] == ["worker2"]
    carried_out = [cluster for cluster in clusters.values() if not not_carried_out(cluster)]
    for role, rows in (("storage", STORAGE), ("registry", REGISTRY)):
        folders = {name for name in rows if (TREE / "roles" / role / "tasks" / name).is_dir()}
        tried = {getattr(cluster, role).driver for cluster in carried_out}
        assert folders == tried, f"no shape has the driver: {sorted(folders - tried)}"


def test_every_phase_is_carried_out_where_it_belongs(shape: Shape) -> None:
    wanted = {
        (phase.name, node.name) for phase in PHASES for node in nodes_of(phase, shape.cluster) if not node.left_out
    }
    assert sorted(shape.rendered.records) == sorted(wanted)


def test_a_phase_goes_on_record_with_its_last_task(shape: Shape) -> None:
    """Earlier, and a killed run would go on behind something that was never done."""
    last = {(call["phase"], call["host"]): call for call in shape.rendered.calls}
    for (phase, host), call in last.items():
        if not phase:
            continue
        about = call["args"] if call["module"] == "atoll_record" else call["args"].get("record") or {}
        assert about.get("phase") == phase, f"{host}: the last task of {phase} is `{call['task']}`"


def test_the_services_read_their_configuration(shape: Shape) -> None:
    for name in ("api", "jobs", "files", "migration"):
        text = shape.rendered.one("ConfigMap", f"{name}-config")["data"]["config.yaml"]
        configuration = Configuration.model_validate(yaml.safe_load(text))
        assert [device.type for device in configuration.devices] == shape.cluster.device_types
        assert [one.name for one in configuration.virtual_clusters] == ["default"]


def test_no_object_and_no_file_says_null_where_a_list_is_empty(shape: Shape) -> None:
    found = [
        place
        for item in shape.rendered.objects()
        for place in nulls(item, f"{item['kind']} {item['metadata']['name']}")
    ]
    for name, text in configuration_files(shape.rendered):
        if name.endswith((".yaml", ".yml", ".conf")) and re.match(r"(#.*\n)*[\w-]+:", text):
            found += [place for document in documents(text) for place in nulls(document, name)]
    assert found == []


def test_every_file_is_what_its_name_says(shape: Shape) -> None:
    read: set[str] = set()
    for name, text in configuration_files(shape.rendered):
        ending = name.rpartition(".")[2]
        read.add(ending)
        if ending in ("yaml", "yml"):
            assert documents(text), name
        elif ending in ("service", "mount"):
            unit = configparser.ConfigParser(interpolation=None, strict=False)
            unit.read_string(text)
            assert "Unit" in unit, name
            assert {"Service", "Mount"} & set(unit), name
        elif ending == "toml":
            assert tomllib.loads(text), name
        assert "{{" not in text, name
        assert "{%" not in text, name
        assert text.count("{") == text.count("}"), f"{name}: braces"
    assert {"yaml", "service", "toml"} <= read


def test_objects_are_names_that_kubernetes_takes_in_name_spaces_that_are_made(shape: Shape) -> None:
    made = {item["metadata"]["name"] for item in shape.rendered.objects() if item["kind"] == "Namespace"}
    # The manifests of Kueue and JobSet make their own; the bundle of this test has shortened ones.
    made |= {"default", "kube-system", "kube-public", "kueue-system", "jobset-system"}
    for item in shape.rendered.objects():
        name, namespace = item["metadata"]["name"], item["metadata"].get("namespace")
        assert OBJECT_NAME.fullmatch(name), item
        assert len(name) <= 63, name
        assert namespace is None or namespace in made, f"{item['kind']} {name} in {namespace}"


def test_pods_read_only_what_is_applied(shape: Shape) -> None:
    def there(kind: str) -> set[str]:
        return {item["metadata"]["name"] for item in shape.rendered.objects() if item["kind"] == kind}

    for name, template in shape.rendered.workloads():
        for volume in template["spec"].get("volumes") or []:
            if "configMap" in volume and not volume["configMap"].get("optional"):
                assert volume["configMap"]["name"] in there("ConfigMap"), name
            if "secret" in volume and not volume["secret"].get("optional"):
                assert volume["secret"]["secretName"] in there("Secret"), name
        labels = template["metadata"]["labels"] if template["metadata"].get("labels") else {}
        (item,) = [i for i in shape.rendered.objects() if f"{i['kind']} {i['metadata']['name']}" == name]
        for key, value in item["spec"].get("selector", {}).get("matchLabels", {}).items():
            assert labels.get(key) == value, name


def test_every_backend_of_the_load_balancer_leads_somewhere(shape: Shape) -> None:
    masters = [f"{node.address}:6443" for node in shape.cluster.masters]
    registries = [f"{node.address}:5443" for node in shape.cluster.registry_nodes]
    texts = [file.text or "" for file in shape.rendered.files if file.dest == "/etc/haproxy/haproxy.cfg"]
    assert len(texts) == len(shape.cluster.members)
    for text in texts:
        backends = dict(re.findall(r"^backend (\w+)\n((?:    .*\n?)+)", text, re.MULTILINE))
        servers = {
            name: re.findall(r"^    server \S+ (\S+) check", block, re.MULTILINE) for name, block in backends.items()
        }
        assert servers == {"api": masters, "registry": registries}
        for used in re.findall(r"default_backend (\w+)", text):
            assert used in backends


def test_kubeadm_reads_its_configuration(shape: Shape, tmp_path: Path) -> None:
    program = bundle_directory() / "bin/amd64/kubernetes"
    files = {
        file.dest: file
        for file in shape.rendered.files
        if file.dest.startswith("/etc/atoll/kubeadm/") and file.dest.endswith(".yaml")
    }
    assert "/etc/atoll/kubeadm/init.yaml" in files
    kinds = {name: [document["kind"] for document in documents(file.text or "")] for name, file in files.items()}
    assert kinds["/etc/atoll/kubeadm/init.yaml"] == [
        "InitConfiguration", "ClusterConfiguration", "KubeletConfiguration", "KubeProxyConfiguration",
    ]  # fmt: skip
    if not program.exists():
        pytest.skip("no bundle in the cache, so no kubeadm to ask")
    discovery = tmp_path / "discovery.conf"  # kubeadm wants to see it; on a node it comes with the same phase
    discovery.touch()
    for file in files.values():
        text = (file.text or "").replace("/etc/atoll/kubeadm/discovery.conf", str(discovery))
        command = ["kubeadm", "config", "validate", "--config", "/dev/stdin"]
        done = subprocess.run(
            command, executable=program, input=text, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr


def test_user_data_are_mounted_only_where_a_file_system_is_shared(shape: Shape) -> None:
    mounted = {file.host for file in shape.rendered.files if file.dest.endswith("/atoll-user-data.service")}
    started = {
        call["host"]
        for call in shape.rendered.of("atoll_units")
        if any(unit["name"] == "atoll-user-data.service" for unit in call["args"]["units"])
    }
    shared = STORAGE[shape.cluster.storage.driver].shared
    assert mounted == started == ({node.name for node in shape.cluster.members} if shared else set())
    tree = [d["path"] for call in shape.rendered.of("atoll_files") for d in call["args"].get("directories") or []]
    assert "/mnt/atoll/home" in tree


def test_homes_have_the_limits_of_cluster_yaml_where_the_driver_has_them(shape: Shape) -> None:
    storage, nodes = shape.cluster.storage, shape.cluster.storage_nodes
    settings = {
        file.host: home_quotas.Settings(**json.loads(file.text or ""))
        for file in shape.rendered.files
        if file.dest == home_quotas.SETTINGS
    }
    units = {
        call["host"]: unit["state"]
        for call in shape.rendered.of("atoll_units")
        for unit in call["args"]["units"]
        if unit["name"] == "atoll-home-quotas.service"
    }
    turned_on = [call["args"]["quota"] for call in shape.rendered.of("atoll_gluster")]
    if not STORAGE[storage.driver].quotas:
        assert (settings, units, turned_on) == ({}, {}, [])
        return
    of_single_ones = bool(storage.user_quotas or storage.user_file_quotas)
    limited = storage.user_quota is not None or storage.user_file_quota is not None or of_single_ones
    # On each, for a brick asks the quota daemon of its own node.
    assert units == dict.fromkeys((node.name for node in nodes), "started" if limited else "stopped")
    on = {"features.quota-deem-statfs": "on", "features.soft-timeout": "2", "features.hard-timeout": "1"}
    assert turned_on == [on if limited else {}]
    for node in nodes:
        assert settings[node.name] == home_quotas.Settings(
            "atoll",
            f"{storage.directory}/data/home",
            "/mnt/atoll/home",
            storage.user_quota,
            storage.user_quotas,
            storage.user_file_quota,
            storage.user_file_quotas,
        )


def test_the_volume_lets_in_the_nodes_of_the_cluster_by_certificate_and_nobody_else(shape: Shape) -> None:
    made = shape.rendered.of("atoll_gluster")
    nodes = shape.cluster.members
    if shape.cluster.storage.driver != "glusterfs":
        assert not made
        return
    (options,) = [call["args"]["options"] for call in made]
    assert (options["server.ssl"], options["client.ssl"]) == ("on", "on")
    assert options["auth.ssl-allow"].split(",") == [node.name for node in nodes]
    assert options["auth.allow"].split(",") == [node.address for node in nodes]
    only_tls = {(file.phase, file.host) for file in shape.rendered.files if file.dest.endswith("/secure-access")}
    servers = {("storage", node.name) for node in shape.cluster.storage_nodes}
    assert only_tls == servers | {("storage_client", node.name) for node in nodes}
    for node in nodes:
        (certificate,) = x509.load_pem_x509_certificates(
            (shape.rendered.state / f"pki/storage/nodes/{node.name}.crt").read_bytes()
        )
        assert certificate.subject.rfc4514_string() == f"CN={node.name}"


def test_each_kind_of_cards_is_offered_where_it_is(shape: Shape) -> None:
    offered = {
        item["metadata"]["name"] for item in shape.rendered.objects("accelerators") if item["kind"] == "DaemonSet"
    }
    cards = {card for node in shape.cluster.members for card in node.accelerators}
    assert offered == {f"simulated-{card.type.replace('_', '-')}-{card.count}" for card in cards}


def test_measurements_are_taken_in_jobs_with_names_of_their_own(shape: Shape) -> None:
    text = shape.rendered.one("ConfigMap", "prometheus-config")["data"]["prometheus.yaml"]
    content = yaml.safe_load(text)
    jobs = [job["job_name"] for job in content["scrape_configs"]]
    assert len(set(jobs)) == len(jobs)
    assert re.fullmatch(r"\d+s", content["global"]["scrape_interval"])
