"""A generated secret of the cluster, by its name."""

from __future__ import annotations

import base64
import fcntl
import os
import secrets
import string
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

DOCUMENTATION = r"""
name: atoll_secret
short_description: A generated secret of the cluster, by its name
description:
  - Reads C(secrets.yaml) in the cluster's state on the control host. A name that is not there yet gets a random value,
    which is kept. The file is 0600 and may be encrypted with ansible-vault.
  - Use it only for C(secrets) of C(atoll_objects), in files marked C(secret), in options that modules hide, or in tasks
    with C(no_log).
options:
  _terms:
    description: Names.
    required: true
  kind:
    description: >-
      C(password) has 32 letters and digits, C(key) 32 random bytes as base64.
    choices: [password, key]
    default: password
"""

EXAMPLES = r"""
database_password: "{{ lookup('atoll_secret', 'database_password') }}"
"""

RETURN = r"""
_raw:
  description: The values.
  type: list
  elements: str
"""

LETTERS = string.ascii_letters + string.digits
VAULTED = "$ANSIBLE_VAULT"


def generated(kind: str) -> str:
    """Return a new value."""
    if kind == "key":
        return base64.b64encode(secrets.token_bytes(32)).decode()
    return "".join(secrets.choice(LETTERS) for _ in range(32))


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Let one process at a time read and write the file: Ansible's forks look secrets up in parallel."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(file.with_name(".secrets.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def write(file: Path, text: str) -> None:
    """Replace the file at once."""
    descriptor, temporary = tempfile.mkstemp(prefix=".secrets-", dir=file.parent)
    with os.fdopen(descriptor, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    Path(temporary).replace(file)


class LookupModule(LookupBase):  # type: ignore[misc]
    """Reads and fills secrets.yaml of the cluster that `atoll_state` names."""

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[str]:
        """Return one value per name."""
        self.set_options(var_options=variables, direct=kwargs)
        kind = self.get_option("kind")
        state = str(self._templar.template((variables or {})["atoll_state"]))  # a text of ours would not be trusted
        file = Path(state) / "secrets.yaml"
        with locked(file):
            text = file.read_text() if file.exists() else ""
            known = self._decrypted(text, file)
            missing = [name for name in terms if name not in known]
            if missing:
                known |= {name: generated(kind) for name in missing}
                write(file, self._encrypted(yaml.safe_dump(known), like=text))
        return [str(known[name]) for name in terms]

    def _decrypted(self, text: str, file: Path) -> dict[str, Any]:
        if text.startswith(VAULTED):
            text = self._loader._vault.decrypt(text.encode()).decode()
        known = yaml.safe_load(text) if text.strip() else {}
        if not isinstance(known, dict):
            raise AnsibleLookupError(f"{file} should hold names and values. Restore it from a backup of the cluster.")
        return known

    def _encrypted(self, text: str, like: str) -> str:
        return self._loader._vault.encrypt(text.encode()).decode() if like.startswith(VAULTED) else text
