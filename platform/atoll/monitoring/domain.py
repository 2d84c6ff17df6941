"""Charts of the cluster: the manifest."""

from atoll.monitoring import policy
from atoll.monitoring.routes import router
from atoll.web.domain import ABSENT, Domain, MatrixRow

DOMAIN = Domain(
    name="monitoring",
    routers=(router,),
    permissions=policy.PERMISSIONS,
    # Prometheus is not there.
    matrix={"GET /monitoring/charts/{name}": MatrixRow.administrators(ABSENT, path={"name": "node_cpu"})},
)
