"""haproxy on the node's own address only, and through it, with the roles before, an image from the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FILE = "/etc/haproxy/haproxy.cfg"
OURS = "registry.atoll.internal:5000"
SECRETS = (
    "--tlscacert /etc/atoll/pki/registry-ca.crt --tlscert /etc/atoll/pki/node.crt --tlskey /etc/atoll/pki/node.key"
)


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


def test_an_image_goes_to_the_registry_and_comes_back_under_its_upstream_name(host: Any) -> None:
    listed = host.check_output("ctr --namespace k8s.io images list --quiet").splitlines()
    pause = next(name for name in listed if name.startswith("registry.k8s.io/pause:"))
    pushed = f"{OURS}/{pause}"
    host.check_output(f"ctr --namespace k8s.io images push --local {SECRETS} {pushed} {pause}")
    host.check_output(f"ctr --namespace roles images pull --hosts-dir /etc/containerd/certs.d {pause}")
    assert host.check_output("ctr --namespace roles images list --quiet") == pause
