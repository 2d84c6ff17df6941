"""What nodes may do at the registry of the installed cluster: pull. Only the installer changes what is there."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from installer.cluster import load
from installer.images.names import REGISTRY
from installer.images.registry import ACCEPT
from installer.images.tunnel import to_registry
from tests.system.harness import CLUSTER_FILE, ROOT, Atoll

PLATFORM = "atoll/platform"
As = Callable[[str | None], httpx.Client]


@pytest.fixture
def as_(atoll: Atoll, monkeypatch: pytest.MonkeyPatch) -> Iterator[As]:
    """A client that comes by way of a node, with a certificate of the cluster."""
    monkeypatch.setenv("ATOLL_STATE", atoll.environment["ATOLL_STATE"])
    with to_registry(load(CLUSTER_FILE)) as socket, ExitStack() as stack:
        yield lambda name: stack.enter_context(client(socket, atoll.state / "pki", name))


def client(socket: Path, pki: Path, certificate: str | None) -> httpx.Client:
    trusted = ssl.create_default_context(cafile=pki / "registry/ca.crt")
    if certificate:
        trusted.load_cert_chain(pki / f"{certificate}.crt", pki / f"{certificate}.key")
    transport = httpx.HTTPTransport(uds=str(socket), verify=trusted)
    return httpx.Client(base_url=f"https://{REGISTRY}", transport=transport, headers={"Accept": ACCEPT}, timeout=30)


def manifest(tag: str) -> str:
    return f"/v2/{PLATFORM}/manifests/{tag}"


@pytest.mark.parametrize("node", ["master1", "worker1", "storage1"])
def test_a_node_pulls_and_neither_pushes_nor_deletes(node: str, as_: As) -> None:
    asked = as_(f"registry/nodes/{node}")
    version = (ROOT / "VERSION").read_text("utf-8").strip()
    found = asked.get(manifest(version))
    assert found.status_code == 200
    digest, layer = found.headers["Docker-Content-Digest"], found.json()["layers"][0]["digest"]
    assert asked.head(f"/v2/{PLATFORM}/blobs/{layer}").status_code == 200
    uploads = "/v2/imported/rogue/blobs/uploads/"
    content: dict[str, Any] = {"content": found.content, "headers": {"Content-Type": found.headers["Content-Type"]}}
    told = {
        "push": asked.post(uploads).status_code,
        "mount": asked.post(uploads, params={"mount": layer, "from": PLATFORM}).status_code,
        "verification's": asked.post("/v2/verification/upload/blobs/uploads/").status_code,
        "tag": asked.put(manifest("rogue"), **content).status_code,
        "the same again": asked.put(manifest(version), **content).status_code,
        "list": asked.get("/v2/_catalog").status_code,
        # Of what is not there: nothing is lost if it is let through.
        "delete": asked.delete(f"/v2/imported/rogue/manifests/{digest}").status_code,
        "delete a layer": asked.delete(f"/v2/imported/rogue/blobs/{layer}").status_code,
    }
    installer = as_("registry/client")
    there = installer.head(manifest("rogue")).status_code
    # Where it was let through, nothing of it stays.
    installer.delete(manifest("rogue"))
    installer.delete(f"/v2/imported/rogue/blobs/{layer}")
    assert set(told.values()) == {401}, told
    assert there == 404


def test_the_verification_begins_uploads_in_its_own_project_only(as_: As) -> None:
    asked = as_("registry/verification/storage1")
    begun = asked.post("/v2/verification/upload/blobs/uploads/")
    assert begun.status_code == 202
    assert asked.delete(begun.headers["Location"]).status_code == 204
    for repository in ("imported/rogue", PLATFORM, "frameworks/numpy", "verificationx/a"):
        assert asked.post(f"/v2/{repository}/blobs/uploads/").status_code == 401, repository


OF_OTHERS = (
    *("control/administrator", "control/platform", "kubernetes/administrator", "kubernetes/kubelets/worker1"),
    *("platform/api", "platform/jobs", "platform/files", "gateway/portal", "database/server"),
    *("monitoring/prometheus", "storage/nodes/worker1"),
)


@pytest.mark.parametrize("certificate", [None, *OF_OTHERS])
def test_who_shows_no_certificate_of_the_registry_is_told_nothing(certificate: str | None, as_: As) -> None:
    with pytest.raises(httpx.TransportError, match=r"(?i)alert"):
        as_(certificate).get("/v2/")
