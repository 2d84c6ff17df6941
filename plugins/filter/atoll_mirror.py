"""Where containerd finds the images of an upstream registry: in the cluster's own."""

from __future__ import annotations

from typing import Any

DOCUMENTATION = r"""
name: atoll_mirror
short_description: The file that points an upstream registry at the cluster's own
description:
  - Returns a file for M(atoll_files). No server is named, so containerd never tries the upstream itself.
positional: _input
options:
  _input:
    description: Name of the upstream registry, as in the names of images.
    type: str
    required: true
"""

EXAMPLES = r"""
files: "{{ ['docker.io', 'quay.io'] | map('atoll_mirror') | list }}"
"""

RETURN = r"""
_value:
  description: The file.
  type: dict
"""

HOSTS = """\
# Written by Atoll.
server = "https://registry.atoll.internal:5000/v2/{upstream}"
override_path = true
capabilities = ["pull", "resolve"]
ca = "/etc/atoll/pki/registry-ca.crt"
client = [["/etc/atoll/pki/node.crt", "/etc/atoll/pki/node.key"]]
"""


def atoll_mirror(upstream: str) -> dict[str, str]:
    """Return the hosts.toml of an upstream registry."""
    return {"dest": f"/etc/containerd/certs.d/{upstream}/hosts.toml", "content": HOSTS.format(upstream=upstream)}


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Any]:
        """Return it by name."""
        return {"atoll_mirror": atoll_mirror}
