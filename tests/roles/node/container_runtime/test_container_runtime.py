"""containerd answers in the bundle's version, has the base images, and runs one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CTR = "ctr --namespace k8s.io"


@pytest.fixture(scope="module")
def base(bundle: Path) -> dict[str, str]:
    """The images that Kubernetes starts with, and their digests."""
    listed = json.loads((bundle / "images" / "index.json").read_text("utf-8"))
    layout = json.loads((bundle / "images" / "amd64" / "index.json").read_text("utf-8"))["manifests"]
    digests = {entry["annotations"]["org.opencontainers.image.ref.name"]: entry["digest"] for entry in layout}
    return {name: digests[name] for name, about in listed.items() if about["set"] == "base"}


@pytest.fixture(scope="module")
def pause(base: dict[str, str]) -> str:
    return next(name for name in base if name.startswith("registry.k8s.io/pause:"))


def test_containerd_runs_now_and_at_the_next_boot_in_the_bundle_s_version(host: Any, bundle: Path) -> None:
    service = host.service("containerd.service")
    assert service.is_running
    assert service.is_enabled
    artifacts = json.loads((bundle / "index.json").read_text("utf-8"))["artifacts"]
    (version,) = {artifact["version"] for artifact in artifacts if artifact["name"] == "program/amd64/containerd"}
    said = [line.split()[1] for line in host.check_output("ctr version").splitlines() if "Version:" in line]
    assert said == [f"v{version}"] * 2, "client and server"


def test_programs_are_the_bundle_s_own(host: Any, bundle: Path, attributes: Callable[..., list[str]]) -> None:
    files = json.loads((bundle / "index.json").read_text("utf-8"))["files"]
    ours = {f"/opt/atoll/bin/{name}": f"bin/amd64/{name}" for name in ("containerd", "ctr", "runc")}
    ours |= {f"/opt/cni/bin/{name}": f"bin/amd64/cni/{name}" for name in ("bridge", "loopback", "portmap")}
    sums = host.check_output("sha256sum " + " ".join(ours)).splitlines()
    assert [line.split()[0] for line in sums] == [files[name]["sha256"] for name in ours.values()]
    assert set(attributes(*ours)) == {"755 root:root"}


def test_every_base_image_is_there_under_its_name_and_digest(host: Any, base: dict[str, str]) -> None:
    rows = [line.split() for line in host.check_output(f"{CTR} images list").splitlines()[1:]]
    there = {row[0]: next(word for word in row if word.startswith("sha256:")) for row in rows}
    assert base
    assert there == there | base
    assert host.check_output(f"{CTR} images check").count("incomplete") == 0


def test_a_container_starts_from_an_image_that_was_imported(host: Any, pause: str) -> None:
    assert "catatonit" in host.check_output(f"{CTR} run --rm {pause} role-test /pause --version")


def test_its_configuration_is_read_and_fits_the_host(host: Any, pause: str) -> None:
    dumped = host.check_output("/opt/atoll/bin/containerd --config /etc/containerd/config.toml config dump")
    systemd = "true" if host.file("/sys/fs/cgroup/cgroup.controllers").exists else "false"
    assert f"SystemdCgroup = {systemd}" in dumped
    assert "config_path = '/etc/containerd/certs.d'" in dumped
    assert f"sandbox = '{pause}'" in dumped


def test_no_image_is_ever_looked_for_outside_the_cluster(host: Any, variables: dict[str, Any]) -> None:
    names = [*variables["container_runtime_mirrors"], "registry.atoll.internal:5000"]
    assert sorted(host.file("/etc/containerd/certs.d").listdir()) == sorted(names)
    for name in names:
        text = host.file(f"/etc/containerd/certs.d/{name}/hosts.toml").content_string
        assert 'server = "https://registry.atoll.internal:5000' in text, name
        assert text.count("https://") == text.count("https://registry.atoll.internal:5000"), name
