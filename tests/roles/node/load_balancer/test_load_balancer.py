"""haproxy on the node's own address only, and through it, with the roles before, an image from the registry."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from installer.images.registry import Registry, chunks

FILE = "/etc/haproxy/haproxy.cfg"
REF_NAME = "org.opencontainers.image.ref.name"


def test_haproxy_runs_now_and_at_the_next_boot_without_the_rights_of_root(
    host: Any, groups: dict[str, list[str]]
) -> None:
    service = host.service("haproxy.service")
    assert service.is_running
    assert service.is_enabled
    assert all(host.package(name).is_installed for name in groups["load_balancer"])
    processes = "grep --files-with-matches --line-regexp haproxy /proc/[0-9]*/comm"
    owners = host.check_output(f"{processes} | xargs --max-args 1 dirname | xargs stat --format %U").splitlines()
    assert "haproxy" in owners


def test_its_configuration_is_valid_and_knows_masters_and_registries(
    host: Any, variables: dict[str, Any], attributes: Callable[..., list[str]]
) -> None:
    assert host.run(f"haproxy -c -f {FILE}").rc == 0
    assert attributes(FILE) == ["644 root:root"]
    text = host.file(FILE).content_string
    for group, port in (("atoll_masters", 6443), ("atoll_registry_hosts", 5443)):
        for server in variables[group]:
            assert f"server {server['name']} {server['address']}:{port} check" in text


def test_only_the_node_itself_can_use_its_ways(listening: set[str]) -> None:
    ways = {place for place in listening if place.endswith((":7443", ":5000"))}
    assert ways == {"127.0.0.1:7443", "127.0.0.1:5000"}


def pushed(variables: dict[str, Any], pki: Path, bundle: Path, repository: str) -> str:
    """Push an image of the bundle as the installer, from this machine; return its name."""
    layout = bundle / "images/amd64"
    listed = json.loads((layout / "index.json").read_text("utf-8"))["manifests"]
    entry = next(one for one in listed if one["annotations"][REF_NAME].startswith(f"{repository}:"))
    name: str = entry["annotations"][REF_NAME]

    def blob(digest: str) -> Path:
        return layout / "blobs" / digest.replace(":", "/")

    body = blob(entry["digest"]).read_bytes()
    manifest = json.loads(body)
    context = ssl.create_default_context(cafile=pki / "ca.crt")
    context.load_cert_chain(pki / "registry/client.crt", pki / "registry/client.key")
    with httpx.Client(base_url=f"https://{variables['atoll_node']['address']}:5443", verify=context) as client:
        registry = Registry(client)
        for part in (manifest["config"], *manifest["layers"]):
            registry.put_blob(repository, part["digest"], part["size"], partial(chunks, blob(part["digest"])))
        registry.put_manifest(repository, name.rpartition(":")[2], entry["mediaType"], body)
    return name


def test_an_image_of_the_registry_comes_to_the_node_under_its_upstream_name(
    host: Any, variables: dict[str, Any], pki: Path, bundle: Path
) -> None:
    pause = pushed(variables, pki, bundle, "registry.k8s.io/pause")
    host.check_output(f"ctr --namespace roles images pull --hosts-dir /etc/containerd/certs.d {pause}")
    assert host.check_output("ctr --namespace roles images list --quiet") == pause
