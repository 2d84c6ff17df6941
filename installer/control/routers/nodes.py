"""The machines of the cluster, and what listens on them."""

from __future__ import annotations

from fastapi import APIRouter

from installer.control.answers import Node, Nodes, Ports
from installer.control.current import Current
from installer.control.recent import Recent
from installer.services.listening import table
from installer.services.nodes import nodes

PORTS_FRESH_SECONDS = 10.0


def routes(current: Current) -> APIRouter:
    """Make what is said about nodes."""
    router = APIRouter(tags=["nodes"])
    ports = Recent(lambda: table(current.for_reading()), PORTS_FRESH_SECONDS)

    @router.get("/nodes", operation_id="nodes_list")
    def list_nodes() -> Nodes:
        return Nodes(items=[Node.model_validate(node.to_json()) for node in nodes(current.for_reading())])

    @router.get("/ports", operation_id="ports_list")
    def list_ports() -> Ports:
        return Ports.model_validate(ports.get())

    return router
