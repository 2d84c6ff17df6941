"""Which volumes may come to be in virtual clusters, asked of a real API server: user data, at their places."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from atoll.engines.kubernetes import provisioning

from tests.apiserver.server import CLUSTER, JOBS, STORAGE, ApiServer, Object, denied_by


def data_volume(**spec: Any) -> Object:
    (found,) = [item for item in VIRTUAL_CLUSTER if item["metadata"]["name"] == "vc-default-homes"]
    return {**found, "metadata": {"name": "vc-default-homes"}, "spec": {**copy.deepcopy(found["spec"]), **spec}}


def claim(name: str = "homes", **spec: Any) -> Object:
    (found,) = [item for item in VIRTUAL_CLUSTER if (item["kind"], item["metadata"]["name"]) == (CLAIM, "homes")]
    return {**found, "metadata": {"name": name, "namespace": "vc-default"}, "spec": {**found["spec"], **spec}}


CLAIM = "PersistentVolumeClaim"
VIRTUAL_CLUSTER = provisioning.manifests(CLUSTER, cpu_cores=1, memory_bytes=1, machines=1, storage_root=STORAGE)
BOUND = {"apiVersion": "v1", "kind": CLAIM, "namespace": "vc-default", "name": "homes"}


@pytest.mark.parametrize(
    "wanted",
    [
        data_volume(hostPath={"path": "/", "type": "Directory"}),
        data_volume(hostPath={"path": "/mnt/atoll", "type": "Directory"}),
        data_volume(hostPath={"path": "/mnt/atoll/models", "type": "Directory"}),
        data_volume(hostPath={"path": "/mnt/atoll/home", "type": "DirectoryOrCreate"}),
        data_volume(claimRef={**BOUND, "namespace": "kube-system"}),
        data_volume(claimRef={**BOUND, "name": "data"}),
        data_volume(persistentVolumeReclaimPolicy="Recycle"),
        data_volume(persistentVolumeReclaimPolicy="Delete"),
        {**data_volume(), "metadata": {"name": "vc-other-homes"}},
        {**data_volume(hostPath={"path": "/"}), "metadata": {"name": "innocent"}},
        claim("more"),
        claim(volumeName="vc-other-homes"),
        claim("models", storageClassName="local-path", volumeName=""),
    ],
    ids=["root", "the whole tree", "other data", "made by the kubelet", "of the system", "another claim", "emptied",
         "deleted", "a name", "an innocent name", "a further claim", "another's volume", "a provisioner"],
)  # fmt: skip
def test_volumes_other_than_the_user_data_are_refused_whoever_makes_them(api_server: ApiServer, wanted: Object) -> None:
    for user in (JOBS, None):
        answer = api_server.apply(wanted, user)
        assert denied_by(answer).startswith("atoll-"), answer.text
