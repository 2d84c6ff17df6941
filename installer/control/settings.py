"""What the control service is told by its environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

CERTIFICATES = Path("/etc/atoll/control")


@dataclass(frozen=True)
class Settings:
    """Where things are, and whom to trust."""

    cluster: str
    node: str
    state: Path
    kubeconfig: Path
    certificate: Path
    key: Path
    ca: Path
    port: int = 7444
    host: str = "0.0.0.0"  # a master answers on all its addresses; who may ask is decided by certificate

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the settings. Raises SystemExit with what is missing."""
        missing = [name for name in ("ATOLL_CLUSTER", "ATOLL_NODE") if not environment.get(name)]
        if missing:
            raise SystemExit(f"{', '.join(missing)} is not set; docs/develop.md, Services and the control service.")
        certificates = Path(environment.get("ATOLL_CONTROL_CERTIFICATES") or CERTIFICATES)
        cluster = environment["ATOLL_CLUSTER"]
        return cls(
            cluster=cluster,
            node=environment["ATOLL_NODE"],
            state=Path(environment.get("ATOLL_STATE") or "/var/lib/atoll/clusters") / cluster,
            kubeconfig=Path(environment.get("KUBECONFIG") or "/etc/kubernetes/admin.conf"),
            certificate=certificates / "server.crt",
            key=certificates / "server.key",
            ca=certificates / "ca.crt",
            port=int(environment.get("ATOLL_CONTROL_PORT") or 7444),
        )
