"""Virtual clusters: the manifest."""

from atoll.database.rights import READS, Rights, TableRights
from atoll.virtual_clusters import policy
from atoll.virtual_clusters.models import MemberRow, QuotaRow, VirtualClusterRow
from atoll.virtual_clusters.routes import router
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="virtual_clusters",
    routers=(router,),
    tables={
        VirtualClusterRow: TableRights(api=READS, jobs=READS),
        QuotaRow: TableRights(api=READS, jobs=READS),
        MemberRow: TableRights(api=Rights(add=True), jobs=READS),
    },
    permissions=policy.PERMISSIONS,
    matrix={"GET /virtual-clusters": MatrixRow.everybody()},
)
