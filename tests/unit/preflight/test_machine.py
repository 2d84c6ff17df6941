"""Needs nothing. What this machine lacks is found at once; the bundle's holes are named."""

from __future__ import annotations

import os
import shutil
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from installer import packages
from installer.cluster import Cluster, reference
from installer.lab import cgroups
from installer.packages import PACKAGES
from installer.preflight import machine
from installer.preflight.bundle import check_bundle
from installer.preflight.checks import Finding

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def cluster() -> Cluster:
    return reference()


def found(cluster: Cluster | None, check: str) -> list[Finding]:
    return [one for one in machine.check_machine(cluster) if one.check == check]


def test_a_lab_needs_root_and_servers_do_not(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    (root,) = found(cluster, "machine.root")
    assert "sudo" in root.remedy
    assert found(None, "machine.root") == []


def test_everything_that_is_missing_is_told_at_once(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100, 99, 1))
    monkeypatch.setattr(os, "sysconf", lambda _: 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    monkeypatch.setattr(cgroups, "hierarchies", lambda: [Path("/sys/fs/cgroup/cpu")])
    monkeypatch.setattr(packages, "installed", lambda _: set())
    findings = machine.check_machine(cluster)
    wanted = {"root", "disk", "memory", "cpus", "cgroups", "packages"}
    assert {f"machine.{name}" for name in wanted} <= {one.check for one in findings}
    assert all(one.remedy and one.evidence for one in findings)
    assert "debootstrap" in next(one.evidence for one in findings if one.check == "machine.packages")


def test_a_machine_that_is_no_debian_says_so(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(packages.PackageError, match="no dpkg"):
        packages.missing("lab")
    (problem,) = found(cluster, "machine.packages")
    assert "no Debian" in problem.evidence


def test_missing_packages_are_installed_and_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    apt = tmp_path / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n', encoding="utf-8")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(packages, "installed", lambda names: set(names) - {"debootstrap"})
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    said: list[str] = []
    assert packages.install("lab", said.append) == ["debootstrap"]
    assert len(said) == 1
    assert said[0].startswith("Installing the Debian package debootstrap: makes the root of the lab's nodes")
    assert calls.read_text("utf-8").splitlines()[-1].endswith("install debootstrap")


def test_a_failing_installation_says_what_apt_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho 'E: Unable to locate package' >&2; exit 100\n", encoding="utf-8")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(packages, "installed", lambda _: set())
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(packages.PackageError, match="Unable to locate"):
        packages.install("lab", lambda _: None)


def test_a_machine_that_makes_no_name_spaces_says_so_once(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unshare = tmp_path / "unshare"
    unshare.write_text("#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2; exit 1\n", encoding="utf-8")
    unshare.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (problem,) = found(cluster, "machine.kernel")
    assert "Operation not permitted" in problem.evidence
    assert "not in a container" in problem.remedy


def test_every_package_says_who_needs_it_and_why() -> None:
    assert len({package.name for package in PACKAGES}) == len(PACKAGES)
    assert all(package.why and package.needed_by for package in PACKAGES)


def complete(cluster: Cluster) -> dict[str, Any]:
    """Return an index in which nothing is missing."""
    (files,) = ([*one.evidence.split(", ")] for one in check_bundle({"files": {}, "artifacts": []}, cluster)[:1])
    engines = check_bundle({"files": {}, "artifacts": []}, cluster)[1].evidence.split(", ")
    return {
        "files": {name: {"bytes": 3} for name in files},
        "artifacts": [{"name": name} for name in (*files, *engines)],
    }


def test_a_complete_bundle_has_no_findings_and_one_missing_artifact_is_named(cluster: Cluster) -> None:
    index = complete(cluster)
    assert check_bundle(index, cluster) == []
    assert "bin/amd64/kubernetes" in index["files"]
    del index["files"]["bin/amd64/containerd"]
    (problem,) = check_bundle(index, cluster)
    assert (problem.severity, problem.evidence) == ("error", "bin/amd64/containerd")
    assert "bundle build" in problem.remedy


def test_a_missing_engine_does_not_hold_the_portal_up(cluster: Cluster) -> None:
    index = complete(cluster)
    index["artifacts"] = [one for one in index["artifacts"] if one["name"] != "image/amd64/pytorch"]
    (problem,) = check_bundle(index, cluster)
    assert (problem.severity, problem.evidence) == ("warning", "image/amd64/pytorch")


def test_files_that_are_gone_or_cut_off_are_named(cluster: Cluster, tmp_path: Path) -> None:
    index = complete(cluster)
    for name in index["files"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"abc")
    assert check_bundle(index, cluster, tmp_path) == []
    (tmp_path / "bin/amd64/runc").unlink()
    (tmp_path / "images/index.json").write_bytes(b"a")
    (problem,) = check_bundle(index, cluster, tmp_path)
    assert "bin/amd64/runc (gone)" in problem.evidence
    assert "images/index.json (1 bytes instead of 3)" in problem.evidence


def signs_in(tmp_path: Path) -> Cluster:
    """A cluster whose secrets lie in `tmp_path`."""
    content = reference().model_dump(mode="json")
    content["platform"]["origin"] = "https://ai.example.com"
    content["sign_in"] = {
        "wechat": {"app_id": "wx1", "app_secret_file": str(tmp_path / "secret")},
        "proxy": "http://192.0.2.5:3128",
        "ca_file": str(tmp_path / "ca.crt"),
    }
    return Cluster.model_validate(content)


def test_files_of_ways_to_sign_in_are_looked_at_before_anything_is_changed(tmp_path: Path) -> None:
    cluster = signs_in(tmp_path)
    assert [one.evidence for one in found(cluster, "machine.sign_in")] == [
        f"{tmp_path}/secret cannot be read (No such file or directory)",
        f"{tmp_path}/ca.crt cannot be read (No such file or directory)",
    ]
    (tmp_path / "ca.crt").write_text("-----BEGIN CERTIFICATE-----\n")
    for content, said in (
        (b" \n", "holds nothing, and no secret"),
        (b"the secret is tell-nobody\n", "holds several words, and no secret"),
        (b"\xff\xfe", "cannot be read (it is no text)"),
    ):
        (tmp_path / "secret").write_bytes(content)
        (one,) = found(cluster, "machine.sign_in")
        assert said in one.evidence
        assert "tell-nobody" not in one.evidence + one.remedy, "a secret is told"
    (tmp_path / "secret").write_text("tell-nobody\n")
    assert found(cluster, "machine.sign_in") == []
    (tmp_path / "ca.crt").write_text("no certificate")
    (one,) = found(cluster, "machine.sign_in")
    assert "holds no certificate" in one.evidence
    assert found(None, "machine.sign_in") == []
