"""What the services of `./atoll dev` are told, and the secrets that are made for them."""

from __future__ import annotations

import importlib.util
import os
import secrets
import sys
from pathlib import Path
from typing import Any

import yaml

from installer import exit_codes
from installer.cluster import DEVICE_TYPES, DeviceType
from installer.cluster.devices import rows
from installer.dev.errors import DevError

VITE_PORT = 5173
PRETENDED = 8  # cards per node
_LIMITS = {
    "floor": {"cpu": "100m", "memory": "64Mi"},
    "default": {"cpu": "2", "memory": "2Gi"},
    "ceiling": {"cpu": "22", "memory": "80Gi"},
}


def default_state() -> Path:
    """Where the database and the homes of `./atoll dev` lie."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "atoll" / "dev"


def storage(state: Path) -> Path:
    """Where homes lie, and what the local engine keeps."""
    return state / "storage"


def make_secrets(directory: Path) -> Path:
    """Generate what is not there yet, readable by this user only. Returns the file of the administrator's password."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, size in (("internal_token", 32), ("admin_password", 12)):
        path = directory / name
        if not path.exists():
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(secrets.token_urlsafe(size))
    return directory / "admin_password"


def _device_types() -> list[DeviceType]:
    """The types that machines like this one can have."""
    return [kind for kind in DEVICE_TYPES.values() if kind.arch == "amd64"]


def _frameworks() -> list[dict[str, str]]:
    """The frameworks that this interpreter has."""
    known = (
        ("numpy", "NumPy + scikit-learn", "scikit-learn", "sklearn"),
        ("pytorch", "PyTorch", "pytorch", "torch"),
    )
    return [
        {"name": name, "title": title, "library": library, "image": f"local/{name}", "python": sys.executable}
        for name, title, library, module in known
        if importlib.util.find_spec(module) is not None
    ]


def configuration(state: Path, database: dict[str, Any], ports: dict[str, int], portal: Path | None) -> dict[str, Any]:
    """The content of config.yaml: two pretended nodes, one with GPUs and one with NPUs."""
    api = ports["api"]
    kinds = _device_types()
    devices = {kind.name: PRETENDED for kind in kinds}
    nodes = [{"name": f"local-{kind.vendor}-{kind.kind}", "devices": {kind.name: PRETENDED}} for kind in kinds]
    web: dict[str, Any] = {
        "origin": f"http://127.0.0.1:{api}",
        "origins": [
            f"http://localhost:{api}",
            f"http://127.0.0.1:{VITE_PORT}",
            f"http://localhost:{VITE_PORT}",
        ],
        "secure_cookies": False,
        # A browser sends the cookies of a host to all its ports: stacks side by side would sign each other out.
        "session_cookie": f"atoll_session_{api}",
    }
    if portal is not None:
        web["portal"] = str(portal)
    return {
        "service": "dev",
        "cluster": {"name": "dev", "version": exit_codes.VERSION},
        "database": database,
        "web": web,
        "services": {"files": f"http://127.0.0.1:{ports['files']}", "jobs": f"http://127.0.0.1:{ports['jobs']}"},
        "storage": {"root": str(storage(state))},
        "engine": {
            "kind": "local",
            "nodes": nodes,
            # So that the portal can be seen with it; here a privileged job is who started `./atoll dev`, as any task.
            "privileged_jobs": True,
        },
        "frameworks": _frameworks(),
        "devices": rows(devices),
        "resource_limit": dict.fromkeys(devices, _LIMITS) | {"request_ratio": 0.5},
        "virtual_clusters": [{"name": "default", "devices": devices}],
        "secrets": str(state / "secrets"),
    }


def ways_in(file: Path) -> dict[str, Any]:
    """What a file says of ways to sign in by others, for config.yaml. Raises DevError."""
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DevError(f"{file} cannot be read: {error}", "Write it as YAML; docs/sign-in.md shows one.") from error
    if not isinstance(content, dict):
        raise DevError(f"{file} says nothing of ways to sign in.", "docs/sign-in.md shows one.")
    return {"ways_in": content}


def of_service(content: dict[str, Any], service: str) -> dict[str, Any]:
    """The same for one service, which signs in to the database as itself; `files` asks it nothing."""
    return {**content, "service": service, "database": {**content["database"], "user": f"atoll_{service}"}}


def write(state: Path, content: dict[str, Any], name: str = "config.yaml") -> Path:
    """Write a configuration and return its path."""
    path = state / name
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path
