"""Renders the roles once for all tests here: with the real inventory, templates, lookups and certificates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).parent
TREE = HERE.parents[2]


def _webhooks(kind: str, names: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": f"kueue-{kind.lower()}"},
        "webhooks": [
            {
                "name": name,
                "rules": [{"apiGroups": [group], "resources": ["*"]}],
                "clientConfig": {"service": {"name": "s", "namespace": "n"}},
            }
            for name, group in names.items()
        ],
    }


def _manager(part: str) -> list[dict[str, Any]]:
    """As much of the manifest of Kueue or JobSet as the role changes."""
    container = {
        "name": "manager",
        "image": f"registry.k8s.io/{part}/{part}:v1",
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "livenessProbe": {},
        "readinessProbe": {},
        "volumeMounts": [{"name": "visibility", "mountPath": "/visibility"}],
    }
    pod = {
        "securityContext": {"runAsNonRoot": True},
        "containers": [container | {"securityContext": {"readOnlyRootFilesystem": True}}],
        "volumes": [{"name": "visibility", "emptyDir": {}}, {"name": "cert", "secret": {"secretName": "x"}}],
    }
    metadata = {"name": f"{part}-controller-manager", "namespace": f"{part}-system"}
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"{part}-manager-config", "namespace": f"{part}-system"},
            "data": {"controller_manager_config.yaml": "old"},
        },
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": {"template": {"spec": pod}}},
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"things.{part}.x-k8s.io"},
            "spec": {"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {}}}}},
        },
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {"name": f"v1.visibility.{part}"},
            "spec": {"insecureSkipTLSVerify": True, "service": {"name": "s"}},
        },
        _webhooks(
            "MutatingWebhookConfiguration",
            {"mjob.kb.io": "batch", "mpod.kb.io": "", "mjobset.kb.io": "jobset.x-k8s.io"},
        ),
        _webhooks("ValidatingWebhookConfiguration", {"vjob.kb.io": "batch", "vworkload.kb.io": "kueue.x-k8s.io"}),
    ]


def _bundle(root: Path) -> Path:
    """A bundle with the names of all images and the manifests, and nothing in it."""
    (root / "images").mkdir(parents=True)
    (root / "manifests").mkdir()
    version = (TREE / "VERSION").read_text().strip()
    declared = yaml.safe_load((TREE / "platform/images/images.yaml").read_text())
    images = {
        f"{image['name']}:{image['version'].format(version=version)}": {
            "digest": "sha256:0",
            "bytes": 1,
            "set": image["set"],
        }
        for image in declared.values()
    }
    (root / "images/index.json").write_text(json.dumps(images))
    (root / "index.json").write_text(json.dumps({"version": version, "files": {}, "artifacts": []}))
    for part in ("kueue", "jobset"):
        (root / f"manifests/{part}.yaml").write_text(yaml.safe_dump_all(_manager(part)))
    return root


class Rendered:
    """What the roles want, as they handed it to the actions."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.state = state
        self.parts = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}

    def objects(self, *phases: str) -> list[dict[str, Any]]:
        return [
            item
            for name, part in self.parts.items()
            if name != "labels" and (not phases or name.split(".")[0] in phases)
            for item in part["objects"]
        ]

    def one(self, kind: str, name: str) -> dict[str, Any]:
        (found,) = [item for item in self.objects() if (item["kind"], item["metadata"]["name"]) == (kind, name)]
        return found

    def workloads(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for item in self.objects():
            if item["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
                yield f"{item['kind']} {item['metadata']['name']}", item["spec"]["template"]


@pytest.fixture(scope="session")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    root = tmp_path_factory.mktemp("workloads")
    bundle, folder = _bundle(root / "bundle"), root / "rendered"
    folder.mkdir()
    environment = os.environ | {
        "ANSIBLE_CONFIG": str(TREE / "ansible.cfg"),
        "ANSIBLE_ACTION_PLUGINS": f"{HERE / 'action_plugins'}:{TREE / 'plugins/action'}",
        "ANSIBLE_ROLES_PATH": str(TREE / "roles"),
        "ATOLL_BUNDLE": str(bundle),
        "ATOLL_STATE": str(root / "state"),
        "ATOLL_RENDERED": str(folder),
    }
    program = Path(sys.executable).with_name("ansible-playbook")
    done = subprocess.run(
        [program, "-i", TREE / "cluster.example.yaml", HERE / "render.yml"],
        cwd=TREE,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (state,) = (path for path in (root / "state").iterdir())
    return Rendered(folder, state)
