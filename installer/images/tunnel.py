"""A way from this machine to the registry: an SSH forwarding of a node, whose own port 5000 leads there."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from installer.cluster import Cluster
from installer.images.errors import RegistryUnavailable
from installer.images.registry import RegistryError
from installer.preflight.access import ssh_arguments
from installer.ssh.nodes import shown

REACH = "127.0.0.1:5000"
WITHIN_S = 30.0


@contextmanager
def forwarded(command: Callable[[Path], Sequence[str | bytes]], host: str) -> Iterator[Path]:
    """Yield a local socket that `command` (an `ssh -N -L SOCKET:…`) keeps open. Raises RegistryError."""
    with tempfile.TemporaryDirectory(prefix="atoll-registry-") as directory:
        socket = Path(directory) / "socket"
        process = subprocess.Popen(
            command(socket), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        try:
            end = time.monotonic() + WITHIN_S
            while not socket.exists():
                if process.poll() is not None or time.monotonic() > end:
                    process.kill()
                    said = shown(process.communicate()[1].decode(errors="replace"))
                    raise RegistryError(f"no SSH forwarding to {host}: {said or f'none within {WITHIN_S:.0f} s'}")
                time.sleep(0.05)
            yield socket
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def to_registry(cluster: Cluster) -> Iterator[Path]:
    """Yield a local socket that leads to the registry of the cluster. Raises RegistryUnavailable."""
    master = cluster.first_master
    # `cat` ends with its input, and with it the connection: also when this process is killed.
    *options, destination = ssh_arguments(
        cluster, master, ExitOnForwardFailure="yes", ControlMaster="no", ControlPath="none"
    )
    try:
        with forwarded(lambda socket: [*options, "-L", f"{socket}:{REACH}", destination, "cat"], master.name) as socket:
            yield socket
    except (RegistryError, httpx.HTTPError) as error:
        raise RegistryUnavailable(
            f"The registry of `{cluster.name}` cannot be used: {error}",
            "See `./atoll status`; the registry is a service of the storage nodes: `service_ctl status registry`.",
        ) from error
