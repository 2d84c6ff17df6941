"""Virtual clusters: the manifest."""

from atoll.database.rights import READS, Rights, TableRights
from atoll.identity.rights.memberships import Memberships
from atoll.virtual_clusters import policy
from atoll.virtual_clusters.models import MemberRow, QuotaRow, VirtualClusterRow
from atoll.virtual_clusters.repository import virtual_clusters_of
from atoll.virtual_clusters.routes import router
from atoll.web.domain import Domain, MatrixRow, ProcessPart

DOMAIN = Domain(
    name="virtual_clusters",
    routers=(router,),
    tables={
        VirtualClusterRow: TableRights(api=READS, jobs=READS),
        QuotaRow: TableRights(api=READS, jobs=READS),
        MemberRow: TableRights(api=Rights(add=True, remove=True), jobs=READS),
    },
    permissions=policy.PERMISSIONS,
    parts=(ProcessPart(Memberships, lambda _: Memberships(virtual_clusters_of)),),
    matrix={"GET /virtual-clusters": MatrixRow.everybody()},
)
