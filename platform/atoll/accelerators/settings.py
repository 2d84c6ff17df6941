"""Settings of the process, from its environment (the DaemonSet's manifest sets them)."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from atoll.accelerators.devices import Model


class Settings(BaseSettings):
    """Which devices this node pretends to have, and where the kubelet listens."""

    model_config = SettingsConfigDict(env_prefix="ATOLL_ACCELERATORS_")

    model: Model
    count: int = Field(ge=1, le=64)
    node: str
    plugin_directory: Path = Path("/var/lib/kubelet/device-plugins")
    pod_resources_socket: Path = Path("/var/lib/kubelet/pod-resources/kubelet.sock")
    metrics_port: int = 9400
