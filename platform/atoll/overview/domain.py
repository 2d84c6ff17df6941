"""The first page: the manifest."""

from atoll.overview import policy
from atoll.overview.routes import router
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="overview",
    routers=(router,),
    permissions=policy.PERMISSIONS,
    matrix={"GET /overview": MatrixRow.everybody()},
    uses=("nodes",),
)
