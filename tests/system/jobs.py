"""Submitting jobs through the platform's API, as a third-party tool would."""

from __future__ import annotations

import time
from typing import Any

from tests.system.harness import Portal


def request(
    portal: Portal,
    name: str,
    code: str,
    framework: str = "numpy",
    device_type: str | None = "nvidia_gpu_amd64",
    devices: int = 0,
    parameters: dict[str, str] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """The body of POST /tasks for an example of the home: `code` is `examples/<name>/<file>.py`."""
    directory, _, start_file = code.rpartition("/")
    return {
        "name": name,
        "virtual_cluster": "default",
        "framework": framework,
        "code_directory": directory,
        "start_file": start_file,
        "device_type": device_type,
        "devices": devices,
        "parameters": [{"name": key, "value": value} for key, value in (parameters or {}).items()],
        **more,
    }


def submit(portal: Portal, name: str, code: str, **more: Any) -> str:
    """Submit a job and return its id."""
    answer = portal.client.post("/trainings", json=request(portal, name, code, **more))
    assert answer.is_success, answer.text
    return str(answer.json()["id"])


def log(portal: Portal, task: str, rank: int = 0) -> str:
    """The whole log of a replica so far."""
    answer = portal.client.get(f"/tasks/{task}/log/content", params={"rank": rank})
    assert answer.is_success, answer.text
    return answer.text


def follow_first_line(portal: Portal, task: str) -> float:
    """Follow the log and return the time (monotonic, s) at which its first line arrived."""
    with portal.client.stream("GET", f"/tasks/{task}/log", params={"rank": 0, "follow": True}, timeout=120) as stream:
        for line in stream.iter_lines():
            if line == "event: log":
                return time.monotonic()
    raise AssertionError(f"the log of {task} ended without a line")
