"""Clusters and observations for the tests of planning."""

from __future__ import annotations

import pytest

from installer.cluster import Cluster, loads
from installer.planning import PHASES, Digests, Observations, done, plan

REAL = """\
name: real
nodes:
  - {name: master1, address: 10.0.0.11, roles: [master]}
  - {name: worker1, address: 10.0.0.21, accelerators: [{type: nvidia_gpu_amd64, count: 8}]}
  - {name: worker2, address: 10.0.0.22}
  - {name: storage1, address: 10.0.0.31, roles: [storage]}
"""


@pytest.fixture
def text() -> str:
    return REAL


@pytest.fixture
def cluster() -> Cluster:
    return loads(REAL, installed=False)


@pytest.fixture
def digests() -> Digests:
    artifacts = {
        "bin/amd64/kubernetes": "k1",
        "bin/arm64/kubernetes": "k2",
        "bin/amd64/containerd": "c1",
        "image/platform/registry.k8s.io/kueue/kueue:v0.19.2": "q1",
    }
    return Digests({phase.role: f"digest of {phase.role}" for phase in PHASES}, artifacts, {}, "0.1.0")


@pytest.fixture
def installed(cluster: Cluster, digests: Digests) -> Observations:
    return done(plan(cluster, None, Observations(), digests), Observations())
