"""The end of a lab: its nodes, and what this machine knows about their cluster."""

from __future__ import annotations

import shutil

from installer import lab
from installer.cluster import Cluster, state_directory
from installer.progress.stages import Progress
from installer.running.journal import new_run_id
from installer.running.lock import ClusterLock


def remove_lab(cluster: Cluster, progress: Progress) -> None:
    """Remove the lab and the cluster's state. What a killed run left running is ended first; Busy if one goes on."""
    state = state_directory(cluster)
    with ClusterLock(state, new_run_id(), "down"):
        lab.down(cluster, progress)
        for entry in sorted(state.iterdir()):
            # The lock goes last, with the folder: whoever waits for it must not find half a state.
            if entry.name == "lock":
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
    shutil.rmtree(state)
    progress.say(f"Cluster `{cluster.name}` is gone.")
