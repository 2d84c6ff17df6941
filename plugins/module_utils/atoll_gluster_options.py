# Apache-2.0
"""Which options of a GlusterFS volume reach whom, where mounts read a file of their own and not the volume's.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

from typing import Iterable

# Those that the file of mounts has, too (`atoll.vol.j2` of the role).
OF_MOUNTS = frozenset(["client.ssl", "network.ping-timeout", "ssl.certificate-depth", "ssl.cipher-list"])
# Those that bricks, or glusterd and its other programs, read. Of no use to a mount.
OF_SERVERS = "auth.", "changelog.", "diagnostics.brick-", "locks.", "server.", "storage."
OF_SERVERS_BY_NAME = frozenset(
    ["cluster.self-heal-daemon", "cluster.server-quorum-type", "network.inode-lru-limit", "performance.io-thread-count"]
)


def unseen_by_mounts(options: Iterable[str]) -> str:
    """Return in words which options would not come to where they are read; empty if there are none."""
    known = OF_MOUNTS | OF_SERVERS_BY_NAME
    lost = sorted(name for name in options if name not in known and not name.startswith(OF_SERVERS))
    if not lost:
        return ""
    return (
        "mounts of user data read /etc/atoll/atoll.vol and no option of the volume, so they would not see %s: take "
        "that out of `storage_volume_options`. There may stand network.ping-timeout, %s, and what begins with %s"
        % (", ".join(lost), ", ".join(sorted(OF_SERVERS_BY_NAME)), ", ".join(OF_SERVERS))
    )
