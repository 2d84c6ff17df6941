"""Which engine a configuration means."""

from typing import assert_never

from atoll.configuration import Configuration
from atoll.engines.base import Engine


async def make_engine(configuration: Configuration) -> Engine:
    """The engine; imports only what it needs."""
    if configuration.engine.kind == "local":
        from atoll.engines.local.engine import LocalEngine
        from atoll.engines.local.scheduler import Machine

        return LocalEngine(
            configuration.storage.root / "engine",
            configuration.storage.root,
            configuration.devices,
            [
                Machine(node.name, node.arch, node.devices, node.cpu_cores, node.memory_bytes)
                for node in configuration.engine.nodes
            ],
        )
    if configuration.engine.kind == "kubernetes":
        from atoll.engines.kubernetes.engine import KubernetesEngine

        return await KubernetesEngine.connect(configuration)
    assert_never(configuration.engine.kind)
