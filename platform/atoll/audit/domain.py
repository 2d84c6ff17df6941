"""The audit: the manifest."""

from datetime import timedelta

from atoll.audit import policy
from atoll.audit.routes import router
from atoll.audit_trail.forgetting import forget
from atoll.audit_trail.models import AuditRow
from atoll.database.rights import READS, TableRights
from atoll.web.domain import Domain, MatrixRow, PeriodicWork

DOMAIN = Domain(
    name="audit",
    routers=(router,),
    tables={AuditRow: TableRights(api=READS)},
    permissions=policy.PERMISSIONS,
    periodic=(PeriodicWork("forget the audit", timedelta(minutes=10), forget),),
    matrix={"GET /audit": MatrixRow.administrators()},
)
