"""`python -m atoll.accelerators`: run the device plugin and serve /metrics, /healthz and /readyz."""

from __future__ import annotations

import asyncio
import signal
import time

import grpc
import structlog
import uvicorn
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from atoll.accelerators.devices import Device, Model, devices_of
from atoll.accelerators.holders import Holder, holders
from atoll.accelerators.metrics import families
from atoll.accelerators.server import DevicePlugin
from atoll.accelerators.settings import Settings

log = structlog.get_logger()


class _Families:
    """Hands ready families to prometheus_client's writer."""

    def __init__(self, found: list[GaugeMetricFamily]) -> None:
        self._found = found

    def collect(self) -> list[GaugeMetricFamily]:
        return self._found


def application(settings: Settings, model: Model, devices: tuple[Device, ...], plugin: DevicePlugin) -> Starlette:
    """Return the HTTP side: metrics and the two probes."""

    async def metrics(_request: Request) -> Response:
        held: dict[str, Holder] = {}
        try:
            held = await holders(settings.pod_resources_socket, model.resource)
            known = 1
        except grpc.aio.AioRpcError as error:
            # The devices are there all the same; the gauge below says that their holders are unknown for now.
            log.warning("the kubelet did not say who holds the devices", reason=error.details())
            known = 0
        found = list(families(model, settings.node, devices, held, time.time()))
        found.append(GaugeMetricFamily("atoll_accelerators_holders_known", "1: the kubelet named them", value=known))
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Families(found))
        return Response(generate_latest(registry), media_type="text/plain; version=0.0.4")

    async def healthz(_request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def readyz(_request: Request) -> Response:
        ready = plugin.registered
        return PlainTextResponse(
            "registered\n" if ready else "not registered with the kubelet\n", status_code=200 if ready else 503
        )

    return Starlette(
        routes=[Route("/metrics", metrics), Route("/healthz", healthz), Route("/readyz", readyz)],
    )


async def serve(settings: Settings) -> None:
    """Run plugin and HTTP server until SIGTERM; the end of either ends both."""
    model = settings.model
    devices = devices_of(model, settings.node, settings.count)
    plugin = DevicePlugin(model, devices, settings.plugin_directory)
    server = uvicorn.Server(
        uvicorn.Config(
            application(settings, model, devices, plugin),
            host="0.0.0.0",
            port=settings.metrics_port,
            log_level="warning",
        )
    )
    work = {asyncio.create_task(plugin.run()), asyncio.create_task(server.serve())}
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, lambda: [task.cancel() for task in work])
    done, rest = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    plugin.socket.unlink(missing_ok=True)
    for task in done:
        if not task.cancelled() and (error := task.exception()):
            raise error


def main() -> None:
    """Entry point."""
    asyncio.run(serve(Settings.model_validate({})))


if __name__ == "__main__":
    main()
