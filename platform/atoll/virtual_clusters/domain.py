"""Virtual clusters: the manifest."""

from atoll.virtual_clusters import policy
from atoll.virtual_clusters.models import MemberRow, QuotaRow, VirtualClusterRow
from atoll.virtual_clusters.routes import router
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="virtual_clusters",
    routers=(router,),
    tables=(VirtualClusterRow, QuotaRow, MemberRow),
    permissions=policy.PERMISSIONS,
    matrix={"GET /virtual-clusters": MatrixRow.everybody()},
)
