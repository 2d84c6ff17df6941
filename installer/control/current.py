"""The cluster as its accepted cluster.yaml says, read again when the file changes."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from installer.cluster import Cluster, ClusterError, load
from installer.control.problems import NOT_INSTALLED, Problem
from installer.control.settings import Settings
from installer.running.accepted import FILE
from installer.services.access import Access

log = logging.getLogger("atoll.control")


class Current:
    """Gives the ways into the cluster, for reading and for acting."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._file: Path = settings.state / FILE
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._access: Access | None = None

    def for_reading(self) -> Access:
        """Return the cluster of the last good file: a mistake that someone saves must not blind the portal."""
        try:
            return self.for_acting()
        except ClusterError as error:
            with self._lock:
                if self._access is None:
                    raise
                log.warning("%s has mistakes, going on with the last good one: %s", self._file, error)
                return self._access

    def for_acting(self) -> Access:
        """Return the cluster of the file as it is now. Raises ClusterError with every mistake in it."""
        with self._lock:
            try:
                seen = self._file.stat()
            except FileNotFoundError:
                raise Problem(
                    NOT_INSTALLED,
                    f"{self._file} is not there yet.",
                    "It comes at the end of `./atoll apply`; if none is running, run it again.",
                ) from None
            stamp = (seen.st_mtime_ns, seen.st_ino)
            if self._access is None or stamp != self._stamp:
                cluster: Cluster = load(self._file, installed=True)
                self._access = Access(cluster, self._settings.kubeconfig)
                self._stamp = stamp
            return self._access
