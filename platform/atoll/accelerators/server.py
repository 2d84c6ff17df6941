"""The device plugin itself: a gRPC server on a socket that the kubelet is told of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import structlog

from atoll.accelerators.devices import Device, Model, environment, prefer
from atoll.accelerators.kubelet import deviceplugin_pb2 as messages
from atoll.accelerators.kubelet import deviceplugin_pb2_grpc as services

log = structlog.get_logger()

# How often the sockets are looked at. A restarted kubelet empties the directory and knows no plugin until it registers.
WATCH_S = 1.0


class DevicePlugin(services.DevicePluginServicer):
    """Answers the kubelet for one resource of this node, and registers again whenever the kubelet was restarted."""

    def __init__(self, model: Model, devices: tuple[Device, ...], directory: Path) -> None:
        self._model = model
        self._devices = {device.id: device for device in devices}
        self._directory = directory
        self.socket = directory / f"atoll-{model.device_type.replace('_', '-')}.sock"
        self._kubelet = directory / "kubelet.sock"
        self.registered = False

    async def run(self) -> None:
        """Serve until cancelled; each round is one life of the kubelet."""
        while True:
            kubelet = await self._kubelet_identity()
            self.socket.unlink(missing_ok=True)
            server = grpc.aio.server()
            services.add_DevicePluginServicer_to_server(self, server)
            server.add_insecure_port(f"unix://{self.socket}")
            await server.start()
            try:
                await self._register()
                await self._until_kubelet_changes(kubelet)
            except grpc.aio.AioRpcError as error:
                log.warning("the kubelet did not take the registration, trying again", reason=error.details())
                await asyncio.sleep(WATCH_S)
            finally:
                self.registered = False
                await server.stop(grace=0)

    async def _kubelet_identity(self) -> tuple[int, int]:
        """Wait for the kubelet's socket and return what tells one life of it from the next."""
        while True:
            try:
                seen = self._kubelet.stat()
            except FileNotFoundError:
                await asyncio.sleep(WATCH_S)
                continue
            return seen.st_ino, seen.st_ctime_ns

    async def _until_kubelet_changes(self, kubelet: tuple[int, int]) -> None:
        while self.socket.exists() and await self._kubelet_identity() == kubelet:  # noqa: ASYNC110 (files, not events)
            await asyncio.sleep(WATCH_S)
        log.info("the kubelet was restarted, registering again")

    async def _register(self) -> None:
        request = messages.RegisterRequest(
            version="v1beta1",
            endpoint=self.socket.name,
            resource_name=self._model.resource,
            options=self._options(),
        )
        async with grpc.aio.insecure_channel(f"unix://{self._kubelet}") as channel:
            await services.RegistrationStub(channel).Register(request, timeout=5)
        self.registered = True
        log.info("registered", resource=self._model.resource, devices=len(self._devices))

    def _options(self) -> Any:
        return messages.DevicePluginOptions(get_preferred_allocation_available=True)

    async def GetDevicePluginOptions(self, _request: Any, _context: Any) -> Any:
        """The plugin has an opinion on which devices go together."""
        return self._options()

    async def ListAndWatch(self, _request: Any, _context: Any) -> AsyncIterator[Any]:
        """All devices once (simulated ones do not break), then the stream stays open."""
        devices = [messages.Device(ID=device_id, health="Healthy") for device_id in self._devices]
        yield messages.ListAndWatchResponse(devices=devices)
        await asyncio.Event().wait()

    async def GetPreferredAllocation(self, request: Any, _context: Any) -> Any:
        """See `devices.prefer`."""
        response = messages.PreferredAllocationResponse()
        for container in request.container_requests:
            chosen = prefer(
                self._model,
                [self._devices[name] for name in container.available_deviceIDs],
                [self._devices[name] for name in container.must_include_deviceIDs],
                container.allocation_size,
            )
            response.container_responses.add(deviceIDs=[device.id for device in chosen])
        return response

    async def Allocate(self, request: Any, context: Any) -> Any:
        """The variables of the vendor's runtime; an id of another life of this node is refused."""
        response = messages.AllocateResponse()
        for container in request.container_requests:
            unknown = [name for name in container.devices_ids if name not in self._devices]
            if unknown:
                await context.abort(grpc.StatusCode.NOT_FOUND, f"no such device on this node: {', '.join(unknown)}")
            chosen = sorted((self._devices[name] for name in container.devices_ids), key=lambda device: device.index)
            response.container_responses.add(envs=environment(self._model, chosen))
        return response

    async def PreStartContainer(self, _request: Any, _context: Any) -> Any:
        """Nothing to do (not asked for in the options either)."""
        return messages.PreStartContainerResponse()
