"""The plugin against a kubelet made of two gRPC servers on real sockets. Needs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import grpc
import httpx
import pytest
from atoll.accelerators.__main__ import application
from atoll.accelerators.devices import Model, devices_of
from atoll.accelerators.holders import holders
from atoll.accelerators.kubelet import deviceplugin_pb2 as messages
from atoll.accelerators.kubelet import podresources_pb2 as pods
from atoll.accelerators.server import DevicePlugin
from atoll.accelerators.settings import Settings

from installer.cluster import DEVICE_TYPES

MODEL, NPU = (Model(**DEVICE_TYPES[name].pretended()) for name in ("nvidia_gpu_amd64", "huawei_npu_amd64"))
DEVICES = devices_of(MODEL, "worker1", 8)


@pytest.fixture
def directory() -> Any:
    # A socket's path may have 107 bytes; pytest's own directories are longer.
    with TemporaryDirectory(prefix="dp") as path:
        yield Path(path)


class Kubelet:
    """Takes registrations and names the holder of one device."""

    def __init__(self) -> None:
        self.registered: asyncio.Queue[Any] = asyncio.Queue()

    @asynccontextmanager
    async def running(self, directory: Path) -> AsyncIterator[None]:
        async def register(request: Any, _context: Any) -> Any:
            await self.registered.put(request)
            return messages.Empty()

        async def list_pods(_request: Any, _context: Any) -> Any:
            answer = pods.ListPodResourcesResponse()
            pod = answer.pod_resources.add(name="train-0", namespace="vc-default")
            container = pod.containers.add(name="task")
            container.devices.add(resource_name=MODEL.resource, device_ids=[DEVICES[3].id])
            container.devices.add(resource_name="huawei.com/Ascend910", device_ids=["Ascend910-0"])
            return answer

        server = grpc.aio.server()
        for service, method, handler, request, table in (
            ("v1beta1.Registration", "Register", register, "RegisterRequest", messages),
            ("v1.PodResourcesLister", "List", list_pods, "ListPodResourcesRequest", pods),
        ):
            rpc = grpc.unary_unary_rpc_method_handler(
                handler,
                request_deserializer=getattr(table, request).FromString,
                response_serializer=lambda message: message.SerializeToString(),
            )
            server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: rpc}),))
        server.add_insecure_port(f"unix://{directory}/kubelet.sock")
        await server.start()
        try:
            yield
        finally:
            await server.stop(grace=0)


@asynccontextmanager
async def plugin_in(directory: Path) -> AsyncIterator[DevicePlugin]:
    plugin = DevicePlugin(MODEL, DEVICES, directory)
    work = asyncio.create_task(plugin.run())
    try:
        yield plugin
    finally:
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work


async def call(socket: Path, method: str, request: Any, response: str) -> Any:
    async with grpc.aio.insecure_channel(f"unix://{socket}") as channel:
        rpc = channel.unary_unary(
            f"/v1beta1.DevicePlugin/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=getattr(messages, response).FromString,
        )
        return await rpc(request, timeout=5)


def empty(directory: Path) -> None:
    for socket in directory.glob("*.sock"):
        socket.unlink()


async def test_the_kubelet_learns_of_all_devices_and_gets_them(directory: Path) -> None:
    kubelet = Kubelet()
    async with kubelet.running(directory), plugin_in(directory) as plugin:
        request = await asyncio.wait_for(kubelet.registered.get(), 5)
        assert (request.resource_name, request.version) == ("nvidia.com/gpu", "v1beta1")
        assert request.options.get_preferred_allocation_available
        async with grpc.aio.insecure_channel(f"unix://{directory / request.endpoint}") as channel:
            stream = channel.unary_stream(
                "/v1beta1.DevicePlugin/ListAndWatch",
                request_serializer=messages.Empty.SerializeToString,
                response_deserializer=messages.ListAndWatchResponse.FromString,
            )(messages.Empty())
            first = await stream.read()
            assert [(device.ID, device.health) for device in first.devices] == [(d.id, "Healthy") for d in DEVICES]
        wish = messages.AllocateRequest()
        wish.container_requests.add(devices_ids=[DEVICES[1].id, DEVICES[0].id])
        given = await call(plugin.socket, "Allocate", wish, "AllocateResponse")
        assert given.container_responses[0].envs["NVIDIA_VISIBLE_DEVICES"] == f"{DEVICES[0].id},{DEVICES[1].id}"
        wish = messages.PreferredAllocationRequest()
        wish.container_requests.add(available_deviceIDs=[d.id for d in reversed(DEVICES)], allocation_size=2)
        answer = await call(plugin.socket, "GetPreferredAllocation", wish, "PreferredAllocationResponse")
        assert list(answer.container_responses[0].deviceIDs) == [DEVICES[0].id, DEVICES[1].id]


async def test_a_device_that_this_node_does_not_have_is_refused(directory: Path) -> None:
    kubelet = Kubelet()
    async with kubelet.running(directory), plugin_in(directory) as plugin:
        await asyncio.wait_for(kubelet.registered.get(), 5)
        wish = messages.AllocateRequest()
        wish.container_requests.add(devices_ids=["GPU-of-another-node"])
        with pytest.raises(grpc.aio.AioRpcError, match="no such device on this node: GPU-of-another-node"):
            await call(plugin.socket, "Allocate", wish, "AllocateResponse")


async def test_the_plugin_registers_again_when_the_kubelet_was_restarted(directory: Path) -> None:
    kubelet = Kubelet()
    async with plugin_in(directory):
        async with kubelet.running(directory):
            await asyncio.wait_for(kubelet.registered.get(), 5)
        empty(directory)
        async with kubelet.running(directory):
            again = await asyncio.wait_for(kubelet.registered.get(), 10)
            assert (directory / again.endpoint).exists()


async def test_metrics_name_the_pod_that_holds_a_device(directory: Path) -> None:
    settings = Settings(
        model=MODEL,
        count=8,
        node="worker1",
        plugin_directory=directory,
        pod_resources_socket=directory / "kubelet.sock",
    )
    kubelet = Kubelet()
    async with kubelet.running(directory), plugin_in(directory) as plugin:
        await asyncio.wait_for(kubelet.registered.get(), 5)
        held = await holders(settings.pod_resources_socket, MODEL.resource)
        assert list(held) == [DEVICES[3].id]
        web = httpx.ASGITransport(app=application(settings, MODEL, DEVICES, plugin))
        async with httpx.AsyncClient(transport=web, base_url="http://node") as client:
            text = (await client.get("/metrics")).text
            ready = await client.get("/readyz")
    lines = [line for line in text.splitlines() if line.startswith("DCGM_FI_DEV_GPU_UTIL{")]
    assert len(lines) == 8
    (busy,) = [line for line in lines if 'pod="train-0"' in line]
    assert 'gpu="3"' in busy
    assert 'namespace="vc-default"' in busy
    assert 'Hostname="worker1"' in busy
    assert float(busy.rsplit(" ", 1)[1]) >= 70
    assert "atoll_accelerators_holders_known 1.0" in text
    assert ready.status_code == 200


async def test_metrics_survive_a_kubelet_that_does_not_answer(directory: Path) -> None:
    settings = Settings(
        model=NPU,
        count=8,
        node="worker2",
        plugin_directory=directory,
        pod_resources_socket=directory / "kubelet.sock",
    )
    devices = devices_of(NPU, "worker2", 8)
    plugin = DevicePlugin(NPU, devices, directory)
    web = httpx.ASGITransport(app=application(settings, NPU, devices, plugin))
    async with httpx.AsyncClient(transport=web, base_url="http://node") as client:
        text = (await client.get("/metrics")).text
        ready = await client.get("/readyz")
    assert text.count("npu_chip_info_utilization{") == 8
    assert "machine_npu_nums 8.0" in text
    assert "atoll_accelerators_holders_known 0.0" in text
    assert ready.status_code == 503
