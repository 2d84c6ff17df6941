"""Machines: the manifest."""

from atoll.nodes import policy
from atoll.nodes.routes import router
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="nodes",
    routers=(router,),
    permissions=policy.PERMISSIONS,
    matrix={"GET /nodes": MatrixRow.administrators()},
)
