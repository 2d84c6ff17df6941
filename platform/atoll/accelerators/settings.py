"""Settings of the process, from its environment (the DaemonSet's manifest sets them)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Which devices this node pretends to have, and where the kubelet listens."""

    model_config = SettingsConfigDict(env_prefix="ATOLL_ACCELERATORS_")

    device_type: Literal["nvidia_gpu_amd64", "huawei_npu_amd64", "huawei_npu_arm64"]
    count: int = Field(ge=1, le=64)
    node: str
    plugin_directory: Path = Path("/var/lib/kubelet/device-plugins")
    pod_resources_socket: Path = Path("/var/lib/kubelet/pod-resources/kubelet.sock")
    metrics_port: int = 9400
