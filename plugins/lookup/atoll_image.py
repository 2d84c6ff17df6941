"""The full name of an image of the bundle, by its repository."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase

DOCUMENTATION = r"""
name: atoll_image
short_description: Full name of an image of the bundle
description:
  - Versions stand in one place, the lock of the bundle; a role names only the repository of an image.
options:
  _terms:
    description: Repositories, with their registry.
    required: true
  pinned:
    description: >-
      Append the digest. For images that nodes pull from the registry: another content under the same tag is another
      image then, and replaces the pods that run the old one.
    type: bool
    default: false
"""

EXAMPLES = r"""
- ansible.builtin.debug:
    msg: "{{ lookup('atoll_image', 'quay.io/prometheus/prometheus', pinned=true) }}"
"""

RETURN = r"""
_raw:
  description: Names with tag, and digest where asked for.
  type: list
  elements: str
"""


class LookupModule(LookupBase):  # type: ignore[misc]
    """Reads images/index.json of the bundle that `atoll_bundle` names."""

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[str]:
        """Return one name per term."""
        self.set_options(var_options=variables, direct=kwargs)
        pinned = self.get_option("pinned")
        bundle = str(self._templar.template((variables or {})["atoll_bundle"]))
        index = Path(bundle) / "images" / "index.json"
        try:
            images = json.loads(index.read_text())
        except FileNotFoundError:
            raise AnsibleLookupError(f"{index} is missing. Build the bundle with `./atoll bundle build`.") from None
        found = []
        for term in terms:
            matching = [name for name in images if name.rpartition(":")[0] == term]
            if len(matching) != 1:
                raise AnsibleLookupError(
                    f"{index} holds {len(matching)} images named {term}, one is needed. Build the bundle again."
                )
            found += [f"{name}@{images[name]['digest']}" if pinned else name for name in matching]
        return found
