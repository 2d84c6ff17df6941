"""A cluster.yaml as Ansible's inventory: `ansible-playbook -i cluster.yaml playbooks/apply.yml`."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin
from ansible.template import trust_as_template

# Found by the plugin's own place, so that it works from any directory and in any of Ansible's processes.
_TREE = str(Path(__file__).resolve().parents[2])
if _TREE not in sys.path:
    sys.path.insert(0, _TREE)

from installer.cluster import ClusterError, bundle_directory, load, state_directory  # noqa: E402
from installer.planning import collect, saved  # noqa: E402
from installer.planning.inventory import inventory  # noqa: E402
from installer.running.accepted import standing  # noqa: E402

DOCUMENTATION = r"""
name: atoll
short_description: The machines of a cluster.yaml
description:
  - Reads any YAML file with C(cluster) in its name or with the keys C(name) and C(nodes) at its top, merges the shipped
    defaults (group_vars/) in, and emits final values; docs/develop.md of Atoll lists the variables and groups.
  - The groups C(phase_<name>) hold the nodes that have the phase in the plan which the environment variable
    C(ATOLL_PLAN) names; without a plan every node where the phase belongs.
  - Nodes of the revision that was accepted last which the file no longer has are in the group C(leaving), in no other.
options: {}
"""

EXAMPLES = r"""
# ansible-inventory -i cluster.yaml --graph
name: demo
nodes:
  - {name: master1, address: 10.0.0.11, roles: [master]}
  - {name: worker1, address: 10.0.0.21}
"""


class InventoryModule(BaseInventoryPlugin):  # type: ignore[misc]
    """Parses a cluster.yaml by way of `installer`."""

    NAME = "atoll"

    def verify_file(self, path: str) -> bool:
        """Say whether a file is one of ours, by its name or its content; any other is left to Ansible's own plugins."""
        file = Path(path)
        if not super().verify_file(path) or file.suffix not in {".yaml", ".yml"}:
            return False
        if "cluster" in file.name.split("."):
            return True
        text = file.read_text(encoding="utf-8", errors="replace")
        return all(re.search(rf"^{key}:", text, re.MULTILINE) for key in ("name", "nodes"))

    def parse(self, inventory_data: Any, loader: Any, path: str, cache: bool = True) -> None:
        """Fill Ansible's inventory from the file."""
        super().parse(inventory_data, loader, path, cache)
        try:
            cluster = load(path)
            named = os.environ.get("ATOLL_PLAN")
            plan = saved(Path(named)) if named else None
        except ClusterError as error:
            raise AnsibleParserError(str(error)) from error
        except (OSError, ValueError) as error:
            raise AnsibleParserError(f"$ATOLL_PLAN: {error}") from error
        bundle = bundle_directory()
        made = inventory(cluster, collect(cluster, bundle), bundle, plan, standing(state_directory(cluster)))
        for host in made.hosts:
            self.inventory.add_host(host)
        for group, members in made.groups.items():
            self.inventory.add_group(group)
            for member in members:
                self.inventory.add_child(group, member)
        for key, value in made.variables.items():
            self.inventory.set_variable("all", key, self._plain(value))
        for host, variables in made.hosts.items():
            for key, value in variables.items():
                self.inventory.set_variable(host, key, self._plain(value))

    def _plain(self, value: Any) -> Any:
        """Trust text in which there is nothing to evaluate, so that `ansible-inventory --list` shows it as it is.

        A user's `{{ }}` stays untrusted: Ansible never evaluates it, and marks it as unsafe in that list.
        """
        if isinstance(value, dict):
            return {key: self._plain(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._plain(one) for one in value]
        if not isinstance(value, str) or self.templar.is_possibly_template(value):
            return value
        return trust_as_template(value)
