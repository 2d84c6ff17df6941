"""Which pod holds which device: asked of the kubelet's pod resources API."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import grpc

from atoll.accelerators.kubelet import podresources_pb2 as messages
from atoll.accelerators.kubelet import podresources_pb2_grpc as services


@dataclass(frozen=True)
class Holder:
    """The container that a device is given to."""

    namespace: str
    pod: str
    container: str


async def holders(socket: Path, resource: str) -> dict[str, Holder]:
    """Return the holder of each device of `resource` that is given out, by device id."""
    async with grpc.aio.insecure_channel(f"unix://{socket}") as channel:
        lister = services.PodResourcesListerStub(channel)
        answer = await lister.List(messages.ListPodResourcesRequest(), timeout=5)
    return {
        device_id: Holder(pod.namespace, pod.name, container.name)
        for pod in answer.pod_resources
        for container in pod.containers
        for devices in container.devices
        if devices.resource_name == resource
        for device_id in devices.device_ids
    }
