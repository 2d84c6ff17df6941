"""As much of a bundle as roles read when they render: the names of its parts, and manifests of which little is left."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import yaml

TREE = Path(__file__).parents[3]
REPOSITORY = "os/debian-12/amd64"


def _webhooks(part: str, kind: str, names: dict[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": f"{part}-{kind.lower()}"},
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
            part,
            "MutatingWebhookConfiguration",
            {"mjob.kb.io": "batch", "mpod.kb.io": "", "mjobset.kb.io": "jobset.x-k8s.io"},
        ),
        _webhooks(part, "ValidatingWebhookConfiguration", {"vjob.kb.io": "batch", "vworkload.kb.io": "kueue.x-k8s.io"}),
    ]


def write(root: Path) -> Path:
    """Write a bundle with the names of all programs, images and packages, the manifests, and nothing in it."""
    for folder in ("images", "manifests", REPOSITORY):
        (root / folder).mkdir(parents=True)
    version = (TREE / "VERSION").read_text().strip()
    lock = yaml.safe_load((TREE / "installer/bundle/lock.yaml").read_text())
    declared = yaml.safe_load((TREE / "platform/images/images.yaml").read_text())
    images = {
        f"{image['name']}:{image['version'].format(version=version)}": {
            "digest": f"sha256:{hashlib.sha256(image['name'].encode()).hexdigest()}",
            "bytes": 1,
            "set": image["set"],
        }
        for image in declared.values()
    }
    groups = lock["debian"]["groups"]
    texts = {
        "images/index.json": json.dumps(images),
        f"{REPOSITORY}/Packages": "",
        f"{REPOSITORY}/groups.json": json.dumps(groups),
        f"{REPOSITORY}/closures.json": json.dumps({name: [] for name in groups}),
        **{f"manifests/{part}.yaml": yaml.safe_dump_all(_manager(part)) for part in ("kueue", "jobset")},
    }
    for name, text in texts.items():
        (root / name).write_text(text)
    programs = [f"bin/amd64/{name}" for program in lock["programs"].values() for name in program["builds"]]
    files = {name: {"sha256": "0" * 64, "bytes": 1} for name in (*texts, *programs)}
    (root / "index.json").write_text(json.dumps({"version": version, "files": files, "artifacts": []}))
    return root
