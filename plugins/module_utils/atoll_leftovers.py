# Apache-2.0
"""What a run that was killed had sent to a node, keys among it: the next one takes it away.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import os
import shutil
from typing import Any, Iterable, List

# `remote_tmp` of ansible.cfg, so that nobody else's Ansible has anything there.
PLACE = ".ansible/atoll"


def without_leftovers(module: Any, staged: Iterable[str], homes: Iterable[str] = ()) -> List[str]:
    """Remove what lies where Ansible puts what it sends, but for what was sent to this very module; return what it was.

    The caller holds the node's lock, and whoever sends holds the cluster's: so there is no other run. Whose home it is
    depends on how one came: as root, or as somebody who became it.
    """
    users = ["~", "~" + os.environ["SUDO_USER"]] if os.environ.get("SUDO_USER") else ["~"]
    mine = {os.path.realpath(os.path.dirname(path)) for path in staged}
    # Not `tmpdir`, which would make one.
    if getattr(module, "_tmpdir", None):
        mine.add(os.path.realpath(module._tmpdir))
    removed = []
    for home in homes or (os.path.expanduser(user) for user in users):
        place = os.path.join(home, PLACE)
        if not os.path.isdir(place) or os.path.islink(place):
            continue
        for entry in sorted(os.listdir(place)):
            path = os.path.join(place, entry)
            if entry.startswith("ansible-") and os.path.realpath(path) not in mine and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
                removed.append(path)
    return removed
