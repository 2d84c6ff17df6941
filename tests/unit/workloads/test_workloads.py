"""What every workload of the platform must have, and what each role promises. Needs nothing."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2
import yaml

from .conftest import ON_THEIR_NODE, Rendered, Rendering


def test_every_container_has_limits_and_gives_up_what_it_does_not_need(rendered: Rendered) -> None:
    names = dict(rendered.workloads())
    assert {
        "Deployment api",
        "Deployment jobs",
        "Deployment files",
        "DaemonSet gateway",
        "StatefulSet database",
    } <= set(names)
    for name, template in names.items():
        pod = template["spec"]
        for container in pod["containers"]:
            where = f"{name}, container {container['name']}"
            assert {"cpu", "memory"} <= set(container["resources"]["requests"]), where
            assert "memory" in container["resources"]["limits"], where
            assert container["securityContext"]["readOnlyRootFilesystem"] is True, where
            assert container["image"].rpartition(":")[2] not in ("", "latest"), where


def test_the_pods_of_every_phase_are_looked_at_but_of_those_that_act_on_their_node(rendered: Rendered) -> None:
    looked_at = {name for name, _ in rendered.workloads()}
    for phase in rendered.phases:
        there = {name for name, _ in rendered.workloads(phase)}
        assert there.isdisjoint(looked_at) if phase in ON_THEIR_NODE else there <= looked_at, phase
        assert there or phase not in ON_THEIR_NODE, f"{phase} has no pods, so it needs no exception"


def test_only_who_must_is_root(rendered: Rendered) -> None:
    roots = {
        name
        for name, template in rendered.workloads()
        if not template["spec"].get("securityContext", {}).get("runAsNonRoot")
    }
    assert roots == {
        "Deployment files",
        "DaemonSet simulated-nvidia-gpu-amd64-8",
        "DaemonSet simulated-huawei-npu-amd64-8",
    }


def test_services_that_run_on_and_on_are_probed(rendered: Rendered) -> None:
    for name, template in rendered.workloads():
        first = template["spec"]["containers"][0]
        if not name.startswith("Job"):
            assert {"livenessProbe", "readinessProbe"} <= set(first), name


def test_what_is_waited_for_is_what_is_applied(rendered: Rendered) -> None:
    there = {(item["kind"], item["metadata"]["name"]) for item in rendered.objects()}
    waits = [wait for name, part in rendered.parts.items() for wait in part["wait"]]
    assert waits
    for wait in waits:
        # Nodes join, and the name service is kubeadm's; no phase applies them.
        assert (wait["kind"], wait["name"]) in there | {("Node", "all"), ("Deployment", "coredns")}


def test_a_changed_configuration_makes_other_pods(rendered: Rendered) -> None:
    for name in ("api", "jobs", "files"):
        annotations = rendered.one("Deployment", name)["spec"]["template"]["metadata"]["annotations"]
        assert len(annotations["atoll.io/configuration"]) == 64
        assert len(annotations["atoll.io/secrets"]) == 64


# All that is said of them is what to note on them.
KUBEADMS = {"Deployment coredns", "DaemonSet kube-proxy"}


def test_another_content_of_an_image_makes_other_pods(rendered: Rendered) -> None:
    """A program that is built anew has the tag that it had: an edit of its source, a compiler with a hole less."""
    templates = [
        (f"{item['kind']} {item['metadata']['name']}", item["spec"]["template"])
        for item in rendered.objects()
        if item["kind"] in ("DaemonSet", "Deployment", "StatefulSet", "Job")
    ]
    assert {"DaemonSet kube-router", *KUBEADMS} <= {*dict(templates)}
    for name, template in templates:
        annotations = template.get("metadata", {}).get("annotations", {})
        if name in KUBEADMS:
            assert annotations["atoll.io/image"].startswith("sha256:")
            assert rendered.one(*name.split())["metadata"]["annotations"] == {"atoll.io/made-by": "kubeadm"}
            continue
        pod = template["spec"]
        for container in [*pod.get("initContainers", []), *pod["containers"]]:
            told = container["image"] + annotations.get("atoll.io/image", "")
            assert "sha256:" in told, f"{name}, container {container['name']}"


def test_another_content_of_an_image_or_another_audit_policy_makes_another_control_plane(rendered: Rendered) -> None:
    (master,) = {file.host for file in rendered.files if file.dest == "/etc/atoll/kubeadm/init.yaml"}
    files = {file.dest: file.text or "" for file in rendered.files if file.host == master}
    first = next(yaml.safe_load_all(files["/etc/atoll/kubeadm/init.yaml"]))
    folder = first["patches"]["directory"]
    notes = {
        dest.removeprefix(f"{folder}/").removesuffix("+merge.json"): json.loads(text)["metadata"]["annotations"]
        for dest, text in files.items()
        if dest.startswith(f"{folder}/") and dest.endswith("+merge.json")
    }
    assert {*notes} == {"kube-apiserver", "kube-controller-manager", "kube-scheduler"}
    digests = {part: note["atoll.io/image"] for part, note in notes.items()}
    assert all(re.fullmatch("sha256:[0-9a-f]{64}", digest) for digest in digests.values())
    assert len({*digests.values()}) == len(digests), "each has its own image"
    for read in ("admission", "audit"):
        digest = hashlib.sha256(files[f"/etc/atoll/kubernetes/{read}.yaml"].encode()).hexdigest()
        assert notes["kube-apiserver"][f"atoll.io/{read}"] == digest, f"{read} is not noted on the API server"


def test_the_services_can_read_their_configuration(rendered: Rendered) -> None:
    from atoll.configuration import Configuration

    for name in ("api", "jobs", "files", "migration"):
        content = yaml.safe_load(rendered.one("ConfigMap", f"{name}-config")["data"]["config.yaml"])
        configuration = Configuration.model_validate(content)
        assert [framework.name for framework in configuration.frameworks] == ["numpy", "pytorch"]
        assert {device.type for device in configuration.devices} == {"nvidia_gpu_amd64", "huawei_npu_amd64"}
        limits = configuration.resource_limit.of("nvidia_gpu_amd64")
        assert limits is not None


def test_webhooks_trust_our_authority_and_reach_virtual_clusters_only(rendered: Rendered) -> None:
    authority = base64.b64encode((rendered.state / "pki/webhooks/ca.crt").read_bytes().rstrip()).decode()
    webhooks = [webhook for item in rendered.objects("queue") for webhook in item.get("webhooks", [])]
    assert webhooks
    for webhook in webhooks:
        assert webhook["clientConfig"]["caBundle"].rstrip("=")[:80] == authority.rstrip("=")[:80]
        limited = "namespaceSelector" in webhook
        assert limited == (webhook["rules"][0]["apiGroups"] != ["kueue.x-k8s.io"]), webhook["name"]
    for item in rendered.objects("queue"):
        if item["kind"] == "APIService":
            assert "insecureSkipTLSVerify" not in item["spec"]
            assert item["spec"]["caBundle"]


def test_kueue_reads_certificates_that_are_there_before_it(rendered: Rendered) -> None:
    pod = rendered.one("Deployment", "kueue-controller-manager")["spec"]["template"]["spec"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert volumes["visibility"] == {"name": "visibility", "secret": {"secretName": "kueue-webhook-server-cert"}}
    assert rendered.one("Secret", "kueue-webhook-server-cert")["data"]["tls.key"]
    configuration = rendered.one("ConfigMap", "kueue-manager-config")["data"]["controller_manager_config.yaml"]
    assert yaml.safe_load(configuration)["internalCertManagement"] == {"enable": False}


def test_what_a_task_may_write_to_its_node_is_limited_set_aside_and_no_quota(rendered: Rendered) -> None:
    from atoll.configuration import Configuration
    from atoll.devices.limits import LOCAL_DISK
    from atoll.tasks.building import Builder

    from tests.unit.platform.engines.test_kubernetes import pod_spec

    jobs = yaml.safe_load(rendered.one("ConfigMap", "jobs-config")["data"]["config.yaml"])
    found = Configuration.model_validate(jobs)
    assert found.engine.local_disk == LOCAL_DISK
    for device_type in (None, "nvidia_gpu_amd64"):
        disk = Builder(found, "ada").local_disk(device_type, 0 if device_type is None else 2)
        assert disk is not None
        resources = pod_spec(local_disk=disk.model_dump())["containers"][0]["resources"]
        told = {what: resources[what]["ephemeral-storage"] for what in ("limits", "requests")}
        assert told == {"limits": LOCAL_DISK, "requests": "1Gi"}, device_type
    assert found.engine.user_namespaces == "auto"
    kueue = rendered.one("ConfigMap", "kueue-manager-config")["data"]["controller_manager_config.yaml"]
    # Kueue admits nothing that asks for a resource which no queue has, also if it asks for none of it.
    assert yaml.safe_load(kueue)["resources"]["excludeResourcePrefixes"] == ["ephemeral-storage"]


def test_tasks_know_their_network_policy_by_every_masters_gateway_and_the_name_service(rendered: Rendered) -> None:
    from atoll.configuration import Configuration
    from atoll.engines.kubernetes.manifests import GATEWAY_PORT

    jobs = yaml.safe_load(rendered.one("ConfigMap", "jobs-config")["data"]["config.yaml"])
    engine = Configuration.model_validate(jobs).engine
    assert engine.gateways == ["10.77.0.11"]
    gateway = rendered.one("DaemonSet", "gateway")["spec"]["template"]["spec"]
    assert GATEWAY_PORT in [port.get("hostPort") for port in gateway["containers"][0]["ports"]]
    assert engine.name_service == "10.96.0.10"  # the tenth of the services' addresses is kubeadm's for it


def test_nodes_are_labelled_by_their_accelerators(rendered: Rendered) -> None:
    labels: dict[str, Any] = rendered.labels
    found = [values for values in labels.values() if values.get("atoll.io/accelerator") == "nvidia_gpu_amd64"]
    assert [values["accelerators.atoll.io/nvidia_gpu_amd64"] for values in found] == ["8"]
    selectors = [
        template["spec"]["nodeSelector"]
        for name, template in rendered.workloads()
        if name == "DaemonSet simulated-nvidia-gpu-amd64-8"
    ]
    assert selectors == [{"accelerators.atoll.io/nvidia_gpu_amd64": "8"}]


def test_prometheus_knows_its_targets_by_discovery_only(rendered: Rendered) -> None:
    text = rendered.one("ConfigMap", "prometheus-config")["data"]["prometheus.yaml"]
    jobs = {job["job_name"]: job for job in yaml.safe_load(text)["scrape_configs"]}
    assert {"containers", "nodes", "cluster", "devices", "services"} <= set(jobs)
    assert [name for name, job in jobs.items() if "static_configs" in job] == ["prometheus"]
    assert "10.77." not in text


def test_files_waits_until_the_user_data_is_mounted(rendered: Rendered) -> None:
    pod = rendered.one("Deployment", "files")["spec"]["template"]["spec"]
    paths = {volume["name"]: volume["hostPath"] for volume in pod["volumes"] if "hostPath" in volume}
    # The kubelet looks only at volumes that a container mounts.
    mounts = [mount for mount in pod["containers"][0]["volumeMounts"] if mount["name"] in paths]
    assert [paths[mount["name"]] for mount in mounts] == [{"path": "/mnt/atoll/home", "type": "Directory"}]
    assert [mount["mountPath"] for mount in mounts] == ["/mnt/atoll/home"]


def test_a_pod_has_a_limited_number_of_processes() -> None:
    template = Path("roles/kubernetes/templates/kubelet.conf.j2").read_text(encoding="utf-8")
    shipped = yaml.safe_load(Path("group_vars/kubernetes.yml").read_text(encoding="utf-8"))["kubernetes"]
    host = {"cgroup_version": 1, "swap_bytes": 0}
    values = {f"kubernetes_{name}": value for name, value in shipped.items()}
    text = jinja2.Template(template, trim_blocks=True).render(ansible_facts={"atoll_host": host}, **values)
    assert yaml.safe_load(text)["podPidsLimit"] == 4096


def test_every_name_space_of_the_system_is_closed_but_for_what_is_named(rendered: Rendered) -> None:
    """Who is reached, by whom and at which ports; what no row names is reached by nobody."""
    policies = [item for item in rendered.objects() if item["kind"] == "NetworkPolicy"]
    closed = {item["metadata"]["namespace"] for item in policies if item["metadata"]["name"] == "default-deny"}
    homes = {item["metadata"]["namespace"] for item in rendered.objects() if "template" in item.get("spec", {})}
    assert {"atoll-system", "atoll-monitoring", "kueue-system", "kube-system", "local-path-storage"} <= homes
    assert homes <= closed
    open_to = {
        (item["metadata"]["namespace"], item["metadata"]["name"]): [
            (sorted(map(str, rule.get("from", ["anybody"]))), [port["port"] for port in rule["ports"]])
            for rule in item["spec"].get("ingress", ())
        ]
        for item in policies
    }
    for item in policies:
        if item["metadata"]["name"] == "default-deny":
            ways = ["Ingress"] if item["metadata"]["namespace"] == "kube-system" else ["Ingress", "Egress"]
            assert item["spec"] == {"podSelector": {}, "policyTypes": ways}
    to_all = {name for name, rules in open_to.items() if any(who == ["anybody"] for who, _ in rules)}
    assert to_all == {("kube-system", "names"), ("atoll-system", "gateway")}
    assert [ports for _, ports in open_to["kube-system", "names"]] == [[53, 53]]
    assert [ports for _, ports in open_to["atoll-system", "gateway"]] == [["https", "http"]]
    masters = [str({"ipBlock": {"cidr": "10.77.0.11/32"}})]
    assert open_to["kueue-system", "api-servers"] == [(masters, [9443, 8082])]
    assert open_to["jobset-system", "api-servers"] == [(masters, [9443])]
    for name in (("atoll-accelerators", "measured"), ("atoll-monitoring", "kube-state-metrics")):
        ((who, ports),) = open_to[name]
        assert len(who) == 1, name
        assert "prometheus" in who[0]
        assert ports == ["metrics"]
    one = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "atoll-system"}},
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "api"}},
    }
    assert open_to["atoll-monitoring", "prometheus"] == [([str(one)], ["https"])]


def test_the_policy_of_each_service_opens_the_way_to_whom_it_asks_and_to_nobody_else(rendered: Rendered) -> None:
    names = "kube-dns:53/UDP kube-dns:53/TCP"
    assert {name: " ".join(reached(rendered, name)) for name in ("gateway", "api", "jobs", "files")} == {
        "gateway": f"{names} api:8000/TCP atoll.io/virtual-cluster:any/TCP",
        "api": f"{names} database:5432/TCP jobs:8001/TCP files:8002/TCP prometheus:9090/TCP 10.77.0.11/32:7444/TCP",
        "jobs": f"{names} database:5432/TCP files:8002/TCP 10.77.0.11/32:6443/TCP",
        "files": "",
    }


def test_what_else_runs_in_the_system_asks_whom_it_must_and_nobody_else(rendered: Rendered) -> None:
    names, master = "kube-dns:53/UDP kube-dns:53/TCP", "10.77.0.11/32:6443/TCP"
    found = {
        name: " ".join(reached(rendered, name))
        for name in ("migration", "database", "prometheus", "kube-state-metrics", "local-path-provisioner")
    }
    assert found == {
        "migration": f"{names} database:5432/TCP",
        "database": f"{master} database:5432/TCP database:8008/TCP {names}",
        # Nodes' addresses change with every node that joins.
        "prometheus": f"{master} anybody:10250/TCP anybody:9100/TCP kube-state-metrics:any/TCP "
        f"atoll-accelerators:any/TCP atoll-system:any/TCP {names}",
        "kube-state-metrics": master,
        "local-path-provisioner": "anybody:6443/TCP",
    }
    for namespace in ("kueue-system", "jobset-system"):
        (policy,) = [
            item["spec"]
            for item in rendered.objects("queue")
            if (item["kind"], item["metadata"].get("namespace")) == ("NetworkPolicy", namespace)
            and item["metadata"]["name"] == "api-servers"
        ]
        to = [{"ipBlock": {"cidr": "10.77.0.11/32"}}]
        assert policy["egress"] == [{"to": to, "ports": [{"port": 6443}]}]
    # Device plugins ask their kubelet by a socket.
    spaces = [item for item in rendered.objects("accelerators") if item["kind"] == "NetworkPolicy"]
    assert not [item for item in spaces if "egress" in item["spec"]]


def reached(rendered: Rendered, name: str) -> Iterator[str]:
    """Whom the policy of a service lets it reach."""
    spec = rendered.one("NetworkPolicy", name)["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    assert spec["podSelector"] == {"matchLabels": {"app.kubernetes.io/name": name}}
    for rule in spec["egress"]:
        for port in rule.get("ports", [{"port": "any"}]):
            for place in rule.get("to", [{"podSelector": {"matchLabels": {"": "anybody"}}}]):
                chosen = place.get("podSelector") or place.get("namespaceSelector", {})
                labels = chosen.get("matchLabels", {})
                spaces = [each["key"] for each in place.get("namespaceSelector", {}).get("matchExpressions", [])]
                where = place["ipBlock"]["cidr"] if "ipBlock" in place else [*labels.values(), *spaces][0]
                assert isinstance(port["port"], int) or "ports" not in rule
                yield f"{where}:{port['port']}/{port.get('protocol', 'TCP')}"


def test_what_a_policy_of_admission_refuses_is_refused_to_everybody_it_is_asked_about(rendered: Rendered) -> None:
    kind = "ValidatingAdmissionPolicy"
    found = [item for item in rendered.objects() if item["kind"].startswith(kind)]
    policies = {item["metadata"]["name"]: item["spec"]["failurePolicy"] for item in found if item["kind"] == kind}
    names = {"jobs-stay-in-virtual-clusters", "queue-stays-in-virtual-clusters", "virtual-clusters"}
    names |= {
        "local-volumes",
        "tasks",
        "volumes",
        "static-pods",
        "events-of-nodes",
        "events-of-nodes-are-counted",
        "database-marks-its-pod",
        "database-makes-its-own",
    }
    assert policies == {f"atoll-{name}": "Fail" for name in names}
    bindings = {item["metadata"]["name"]: item["spec"] for item in found if item["kind"] == f"{kind}Binding"}
    assert bindings == {name: {"policyName": name, "validationActions": ["Deny"]} for name in policies}


def test_a_node_that_is_shut_out_is_refused_whatever_it_writes(rendering: Rendering) -> None:
    """tests/apiserver asks a server with it."""
    policy, binding = rendering("fenced").objects("fencing")
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert rule == {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}
    (by,) = policy["spec"]["matchConditions"]
    assert by["expression"] == 'request.userInfo.username in ["system:node:worker2"]'
    (judged,) = policy["spec"]["validations"]
    assert (judged["expression"], policy["spec"]["failurePolicy"]) == ("false", "Fail")
    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}


def test_the_database_makes_what_patroni_names_after_its_scope_and_may_write_that_alone(rendered: Rendered) -> None:
    patroni = yaml.safe_load(rendered.one("ConfigMap", "database-config")["data"]["patroni.yaml"])
    assert patroni["kubernetes"]["use_endpoints"] is False
    kept = {f"{patroni['scope']}-{what}" for what in ("config", "leader", "failover", "sync")}
    rules = rendered.one("Role", "database")["rules"]
    assert [set(rule["resourceNames"]) for rule in rules if rule["verbs"] == ["get", "patch"]] == [kept]
    (held,) = rendered.one("ValidatingAdmissionPolicy", "atoll-database-makes-its-own")["spec"]["validations"]
    name, _, names = held["expression"].partition(" in ")
    assert name == "object.metadata.?name.orValue('')"
    assert set(ast.literal_eval(names)) == kept


def test_directories_of_the_system_are_for_its_own_account(rendered: Rendered) -> None:
    directories = [d for call in rendered.of("atoll_files") for d in call["args"].get("directories") or []]
    assert [d["mode"] for d in directories if d["path"] == "/var/lib/etcd"] == ["0700"]
    setup = rendered.one("ConfigMap", "local-path-config")["data"]["setup"]
    assert "mkdir -m 0700" in setup
    assert "chown 65534:65534" in setup


def test_of_the_platforms_services_only_jobs_is_somebody_to_the_api_server(rendered: Rendered) -> None:
    given = {
        name: rendered.one("Deployment", name)["spec"]["template"]["spec"]["automountServiceAccountToken"]
        for name in ("api", "jobs", "files")
    }
    assert given == {"api": False, "jobs": True, "files": False}
