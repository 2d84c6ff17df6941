"""Asking the platform about accounts: its own program, run by the cluster's administrator in a pod of the platform.

The way is that of `kubectl exec`: TLS and identity are the administrator's of Kubernetes, whose API server keeps who
did it. It needs the API server, the database and a pod of `api`; no sign-in, no answer of the portal.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from typing import Any

from installer.cluster import Cluster
from installer.running.kubectl import administrator_configuration, program, reachable
from installer.services.access import api_servers
from installer.users.errors import PlatformUnavailable, UsersError

NAMESPACE = "atoll-system"
# Of the services it alone may read and write accounts.
PLACE = "deployment/api"
MODULE = ("python3", "-m", "atoll.users")
TIMEOUT_S = 60


def asked(cluster: Cluster, arguments: Sequence[str]) -> dict[str, Any]:
    """Return what the platform answers to a verb. Raises UsersError."""
    environment = {**os.environ, "KUBECONFIG": str(administrator_configuration(cluster))}
    server = f"--server={reachable(api_servers(cluster))}"
    ran = subprocess.run(
        ["kubectl", server, "exec", "-n", NAMESPACE, PLACE, "--", *MODULE, *arguments],
        executable=program(),
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    if (answer := answer_in(ran.stdout)) is not None:
        if ran.returncode != 0:
            raise UsersError(str(answer.get("detail")), str(answer.get("remedy", "")))
        return answer
    raise PlatformUnavailable(
        f"the platform cannot be asked: {PLACE}: {ran.stderr.strip()[-300:] or f'exit code {ran.returncode}'}",
        "See `./atoll status`; on a master: `service_ctl status api`, `service_ctl status database`.",
    )


def answer_in(text: str) -> dict[str, Any] | None:
    """The answer among what a program wrote, None when it was not asked at all."""
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None
