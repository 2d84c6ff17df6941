"""Virtual clusters: the manifest."""

from atoll.database.rights import READS, Rights, TableRights
from atoll.identity.rights.memberships import Memberships
from atoll.virtual_clusters import codes, policy
from atoll.virtual_clusters.models import ClusterGroupRow, MemberRow, QuotaRow, VirtualClusterRow
from atoll.virtual_clusters.repository import virtual_clusters_of
from atoll.virtual_clusters.routes import router
from atoll.web.codes import declared
from atoll.web.domain import OK, Domain, MatrixRow, ProcessPart

ABSENT = {"cluster_id": "absent"}

DOMAIN = Domain(
    name="virtual_clusters",
    codes=declared(codes),
    actions={
        "virtual_cluster.create": "Make a virtual cluster",
        "virtual_cluster.edit": "Edit a virtual cluster",
        "virtual_cluster.extend": "Extend a virtual cluster",
        "virtual_cluster.delete": "Delete a virtual cluster",
        "virtual_cluster.add_members": "Add members to a virtual cluster",
        "virtual_cluster.remove_members": "Remove members of a virtual cluster",
    },
    routers=(router,),
    tables={
        # `jobs` says how far the engine is, and what it has confirmed to be gone; what is wanted is not its to say.
        VirtualClusterRow: TableRights(
            api=Rights(add=True, changes=("max_hours", "borrows", "pod_security", "egress", "standing", "version")),
            jobs=Rights(changes=("standing", "deleted_at")),
        ),
        QuotaRow: TableRights(api=Rights(add=True, change=True, remove=True), jobs=READS),
        MemberRow: TableRights(api=Rights(add=True, remove=True), jobs=READS),
        ClusterGroupRow: TableRights(api=Rights(add=True, remove=True), jobs=READS),
    },
    permissions=policy.PERMISSIONS,
    parts=(ProcessPart(Memberships, lambda _: Memberships(virtual_clusters_of)),),
    matrix={
        "GET /virtual-clusters": MatrixRow.everybody(),
        # Of those that there are, tests/unit/platform/virtual_clusters tries each operation.
        "GET /virtual-clusters/{cluster_id}": MatrixRow.owned(admin=OK),
        # The name is taken.
        "POST /virtual-clusters": MatrixRow.administrators(409, body={"name": "default", "devices": {}}),
        "PATCH /virtual-clusters/{cluster_id}": MatrixRow.administrators(404, path=ABSENT, body={}),
        "POST /virtual-clusters/{cluster_id}/extend": MatrixRow.administrators(404, path=ABSENT, body={"hours": 1}),
        "DELETE /virtual-clusters/{cluster_id}": MatrixRow.administrators(404, path=ABSENT),
        "GET /virtual-clusters/{cluster_id}/members": MatrixRow.administrators(),
        "POST /virtual-clusters/{cluster_id}/members": MatrixRow.administrators(404, path=ABSENT, body={}),
        "POST /virtual-clusters/{cluster_id}/members/remove": MatrixRow.administrators(404, path=ABSENT, body={}),
        "GET /device-capacity": MatrixRow.administrators(),
    },
)
