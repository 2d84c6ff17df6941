"""Authorities and certificates of the cluster (documentation: plugins/modules/atoll_certificates.py)."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

# Ansible offers our module_utils to modules only, not to actions.
_UTILS = str(Path(__file__).resolve().parents[1] / "module_utils")
if _UTILS not in sys.path:
    sys.path.insert(0, _UTILS)

from atoll_authority import AuthorityError, Pki  # noqa: E402


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Let one process at a time make certificates: Ansible's forks work on many nodes."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(directory / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


class ActionModule(ActionBase):  # type: ignore[misc]
    """See plugins/modules/atoll_certificates.py."""

    _VALID_ARGS = frozenset(("authorities", "certificates", "signing_keys"))
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Make what is missing."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        directory = Path(str(self._templar.template(variables["atoll_state"]))) / "pki"
        cluster = str(self._templar.template(variables["atoll_cluster_name"]))
        try:
            with locked(directory):
                pki = Pki(directory, cluster, dry=self._task.check_mode)
                for name in self._task.args.get("authorities") or []:
                    pki.have_authority(str(name))
                for certificate in self._task.args.get("certificates") or []:
                    pki.certificate(**certificate)
                for name in self._task.args.get("signing_keys") or []:
                    pki.signing_key(name)
                pki.write_inventory()
        except (AuthorityError, TypeError, OSError) as error:
            raise AnsibleActionFail(f"atoll_certificates: {error}") from error
        diff = {"before": "", "after": "\n".join(pki.made) + "\n"} if pki.made else {}
        return result | {"changed": bool(pki.made), "made": pki.made, "diff": diff}
