"""`./atoll status`: nodes, services, and where the portal is. The JSON form is a contract with other tools."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from installer.cluster import Cluster, state_directory, version
from installer.cluster.given import given
from installer.planning.projection import portal_address
from installer.services.access import Access
from installer.services.nodes import NodeState, nodes
from installer.services.observation import services
from installer.services.states import ServiceState

COLOURS = {"running": "green", "starting": "yellow", "degraded": "yellow", "stopped": "dim", "failed": "red"}


@dataclass(frozen=True)
class Portal:
    """Where people sign in, and with what."""

    url: str
    ca_file: Path
    credentials_file: Path


@dataclass(frozen=True)
class ClusterStatus:
    """What a cluster looks like now."""

    cluster: str
    version: str
    nodes: list[NodeState]
    services: list[ServiceState]
    portal: Portal

    @property
    def healthy(self) -> bool:
        """Every node is ready and every service runs; what is meant to be off does not count."""
        nodes_ready = all(node.ready for node in self.nodes if not (node.maintenance or node.fenced))
        return nodes_ready and all(service.state in {"running", "stopped"} for service in self.services)

    def to_json(self) -> dict[str, Any]:
        """Return the contract's form."""
        return {
            "cluster": self.cluster,
            "version": self.version,
            "nodes": [
                {
                    "name": node.name,
                    "roles": list(node.roles),
                    "arch": node.arch,
                    "ready": node.ready,
                    "accelerators": node.accelerators,
                }
                for node in self.nodes
            ],
            "services": [
                {
                    "name": service.name,
                    "state": service.state,
                    "replicas": {"ready": service.ready, "wanted": service.wanted},
                }
                for service in self.services
            ],
            "portal": {"url": self.portal.url, "ca_file": str(self.portal.ca_file)},
            "credentials_file": str(self.portal.credentials_file),
        }


def portal_of(cluster: Cluster) -> Portal:
    """Return where the portal of a cluster is. A certificate of the customer's own is its own anchor of trust."""
    state = state_directory(cluster)
    url = cluster.platform.origin or f"https://{portal_address(cluster)}"
    own = cluster.platform.certificate_file
    return Portal(url, given(cluster, own) if own else state / "pki" / "ca.crt", state / "credentials.yaml")


def status(cluster: Cluster) -> ClusterStatus:
    """Look at the cluster."""
    access = Access(cluster)
    with ThreadPoolExecutor(max_workers=2) as pool:
        seen_nodes = pool.submit(nodes, access)
        seen_services = pool.submit(services, access)
        return ClusterStatus(cluster.name, version(), seen_nodes.result(), seen_services.result(), portal_of(cluster))


def show(seen: ClusterStatus, console: Console) -> None:
    """Print the status for people."""
    console.print(f"[bold]{escape(seen.cluster)}[/], Atoll {seen.version}, portal {seen.portal.url}")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("node", "roles", "arch", "state", "accelerators", ""):
        table.add_column(title)
    for node in seen.nodes:
        state = "[green]ready[/]" if node.ready else "[red]not ready[/]"
        devices = ", ".join(f"{count} × {kind}" for kind, count in node.accelerators.items())
        state = "[dim]maintenance[/]" if node.maintenance else state
        state = "[dim]fenced[/]" if node.fenced else state
        table.add_row(node.name, ", ".join(node.roles), node.arch, state, devices, escape(node.message))
    console.print(table)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("service", "state", "replicas", ""):
        table.add_column(title)
    for service in seen.services:
        colour = COLOURS.get(service.state, "magenta")
        counted = f"{service.ready}/{service.wanted}"
        table.add_row(service.name, f"[{colour}]{service.state}[/]", counted, escape(service.message))
    console.print(table)
