"""The configuration of a service as it is rendered and in force now."""

from __future__ import annotations

from installer.redaction import Redactor
from installer.services.access import Access
from installer.services.kubernetes_api import NotThere
from installer.services.table import ConfigMap, NodeFile, Service
from installer.ssh.nodes import shown

MOST_BYTES = 1 << 20  # of a file


def configuration(access: Access, service: Service, redactor: Redactor) -> dict[str, str]:
    """Return place -> text: keys of ConfigMaps, files of nodes (of the first node that has it)."""
    found: dict[str, str] = {}
    for place in service.configuration:
        if isinstance(place, ConfigMap):
            try:
                data = access.kubernetes.config_map(place.namespace, place.name)
            except NotThere:
                found[str(place)] = "(does not exist)"
                continue
            found |= {f"{place}: {key}": redactor.text(text) for key, text in sorted(data.items())}
        else:
            found |= _file(access, place, redactor)
    return found


def _file(access: Access, place: NodeFile, redactor: Redactor) -> dict[str, str]:
    nodes = access.nodes(place.on)
    if not nodes:
        return {}
    node = nodes[0]
    code, said, errors = node.ask(["cat", place.path], timeout_s=15, most_bytes=MOST_BYTES)
    text = f"({shown(errors)})" if code else redactor.text(said)
    return {f"{node.name}:{place.path}": text}
