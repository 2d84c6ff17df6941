"""The first page: the manifest."""

from atoll.overview import codes, policy
from atoll.overview.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="overview",
    codes=declared(codes),
    routers=(router,),
    permissions=policy.PERMISSIONS,
    matrix={"GET /overview": MatrixRow.everybody()},
    uses=("nodes",),
)
