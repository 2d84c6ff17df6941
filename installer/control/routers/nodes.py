"""The machines of the cluster."""

from __future__ import annotations

from fastapi import APIRouter

from installer.control.answers import Node, Nodes
from installer.control.current import Current
from installer.services.nodes import nodes


def routes(current: Current) -> APIRouter:
    """Make what is said about nodes."""
    router = APIRouter(tags=["nodes"])

    @router.get("/nodes", operation_id="nodes_list")
    def list_nodes() -> Nodes:
        return Nodes(items=[Node.model_validate(node.to_json()) for node in nodes(current.for_reading())])

    return router
