"""Every role that needs no cluster, alone: rehearsed, applied, applied again, and looked at from outside."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain, takewhile
from pathlib import Path

import pytest
import yaml

from installer.planning.phases import PHASES
from tests.system.harness import ROOT, Atoll

HERE = Path(__file__).parent
CLUSTER = HERE / "cluster.yaml"
SCRATCH = Path("/var/lib/atoll/test-roles")
SOCKETS = SCRATCH / "ssh"
PROGRAMS = Path(sys.executable).parent
# In the order in which they build on each other.
ROLES = [phase.role for phase in takewhile(lambda phase: phase.name != "control_plane", PHASES)]


def verbs(role: str) -> set[str]:
    specification = yaml.safe_load((ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text("utf-8"))
    return set(specification["argument_specs"]["main"]["options"]["verb"]["choices"])


def steps(role: str) -> list[str]:
    """Molecule's steps for a role: each of its verbs, and behind each it is there again, for those that follow."""
    applied = ["converge", "idempotence", "side_effect verify.yml", f"verify node/{role}"]
    others = sorted(verbs(role) - {"deploy", "verify"})
    after = [[f"side_effect {verb}.yml", f"verify node/{role}_after_{verb}", *applied] for verb in others]
    return ["prepare", "check", "verify node/rehearsed", *applied, *chain.from_iterable(after)]


def parts() -> list[str]:
    """The parts of the bundle that these roles install."""
    images = yaml.safe_load((ROOT / "platform" / "images" / "images.yaml").read_text("utf-8"))
    base = [f"image/{name}" for name, image in images.items() if image["set"] == "base"]
    return ["os/debian-12", "program/cni", "program/containerd", "program/registry", "program/runc", *base]


@pytest.fixture(scope="session")
def environment() -> Iterator[dict[str, str]]:
    """The environment for molecule, with a fresh node; afterwards nothing is left."""
    atoll = Atoll(CLUSTER)
    bundle = SCRATCH / "bundle"  # its own: a cluster may be on its way out of the cache's
    atoll.environment |= {
        "ATOLL_BUNDLE": str(bundle),
        "ATOLL_STATE": str(SCRATCH / "clusters"),
        "ATOLL_CLUSTER_FILE": str(CLUSTER),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_SSH_CONTROL_PATH_DIR": str(SOCKETS),
        "MOLECULE_GLOB": str(HERE / "molecule.yml"),
        "MOLECULE_PROJECT_DIRECTORY": str(ROOT),
        "NO_COLOR": "1",
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    }
    atoll("lab", "down", "-f", str(CLUSTER))  # what a killed run left
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    try:
        atoll("bundle", "build", "--bundle", str(bundle), *parts(), timeout_s=3600)
        atoll("lab", "up", "-f", str(CLUSTER))
        yield atoll.environment
    finally:
        for socket in SOCKETS.glob("*"):
            # Ansible keeps its connections open for some minutes.
            subprocess.run(
                ["ssh", "-o", f"ControlPath={socket}", "-O", "exit", "node"], capture_output=True, check=False
            )
        atoll("down", "-f", str(CLUSTER), "--yes")
        shutil.rmtree(SCRATCH)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_rehearses_truthfully_and_applies_once(role: str, environment: dict[str, str]) -> None:
    own = {
        "ATOLL_ROLE": role,
        "ATOLL_STEPS": json.dumps(steps(role)),
        "MOLECULE_EPHEMERAL_DIRECTORY": str(SCRATCH / "molecule" / role),
    }
    # What molecule and Ansible say goes where pytest keeps it for a failure.
    molecule = subprocess.run(
        [str(PROGRAMS / "molecule"), "test", "--scenario-name", role, "--destroy", "never"],
        cwd=ROOT,
        env=environment | own,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        timeout=900,
        check=False,
    )
    assert molecule.returncode == 0
