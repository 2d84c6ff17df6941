"""The network of a lab on machines that have less than a lab needs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from installer import packages
from installer.lab import network
from installer.lab.errors import LabError
from installer.lab.network import remove_bridge
from installer.lab.topology import Lab


def test_a_machine_that_never_had_a_lab_needs_none_of_its_programs_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_ip = tmp_path / "ip"
    only_ip.symlink_to(shutil.which("ip") or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    remove_bridge("nobody", "atollnobody")


@pytest.mark.parametrize(
    ("other", "overlaps"), [("10.77.0.1/16", True), ("10.77.3.129/25", True), ("10.78.0.1/16", False)]
)
def test_a_lab_whose_network_overlaps_another_one_of_this_machine_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, overlaps: bool
) -> None:
    address, prefix = other.split("/")
    links = [{"ifname": "another", "addr_info": [{"family": "inet", "local": address, "prefixlen": int(prefix)}]}]
    monkeypatch.setattr(network, "_links", lambda: links)
    monkeypatch.setattr(network, "_owner", lambda _link: None)
    lab = Lab("mine", "atollmine", "10.77.3.1", 24, tmp_path, tmp_path, ())
    try:
        network.check(lab)
        told = ""
    except LabError as error:
        told = str(error)
    assert ("of `another` on this machine" in told) == overlaps, f"told of a network that overlaps: {told!r}"


LOADED = """
from installer.lab.commanding import command
from installer import packages
from installer.lab import network
from installer.lab.errors import LabError
from installer.lab.network import remove_bridge
from installer.lab.topology import Lab
command("nft", "-f", "-", stdin="table inet atoll_lab_one { }; table inet atoll_lab_one2 { }")
remove_bridge("nobody", "one")
remove_bridge("nobody", "one")
print(command("nft", "list", "tables").strip())
"""


def test_the_rules_of_a_bridge_go_and_those_of_one_with_a_longer_name_stay() -> None:
    packages.install("firewall", print)
    own_network = ("unshare", "--user", "--map-root-user", "--net", "--")
    argv = [*own_network, sys.executable, "-c", LOADED]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "table inet atoll_lab_one2\n"), done.stderr
