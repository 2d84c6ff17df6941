"""The files below directories of the control host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.plugins.lookup import LookupBase

DOCUMENTATION = r"""
name: atoll_files_below
short_description: The files below directories of the control host
description:
  - Paths of all files below directories, at any depth, sorted. Hidden files (locks, drafts) are left out. A path of a
    file stands for itself; what does not exist has no files.
options:
  _terms:
    description: Directories or files.
    required: true
"""

EXAMPLES = r"""
files: "{{ query('atoll_files_below', atoll_state ~ '/pki') }}"
"""

RETURN = r"""
_raw:
  description: Paths.
  type: list
  elements: str
"""


class LookupModule(LookupBase):  # type: ignore[misc]
    """Lists files."""

    def run(self, terms: list[str], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[str]:
        """Return the paths of all files."""
        self.set_options(var_options=variables, direct=kwargs)
        found: list[str] = []
        for term in terms:
            top = Path(term)
            paths = [top] if top.is_file() else sorted(path for path in top.rglob("*") if path.is_file())
            found += [str(path) for path in paths if path == top or not _hidden(path.relative_to(top))]
        return found


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
