"""The audit: the manifest."""

from datetime import timedelta

from atoll.audit import codes, policy
from atoll.audit.exporting import Exports
from atoll.audit.routes import router
from atoll.audit_trail.forgetting import forget
from atoll.audit_trail.models import AuditRow
from atoll.database.rights import READS, TableRights
from atoll.web.codes import declared
from atoll.web.domain import Domain, MatrixRow, PeriodicWork, ProcessPart

DOMAIN = Domain(
    name="audit",
    routers=(router,),
    tables={AuditRow: TableRights(api=READS)},
    permissions=policy.PERMISSIONS,
    codes=declared(codes),
    parts=(ProcessPart(Exports, lambda _configuration: Exports()),),
    periodic=(PeriodicWork("forget the audit", timedelta(minutes=10), forget),),
    actions={"audit.export": "Export the audit"},
    matrix={
        "GET /audit": MatrixRow.administrators(),
        "GET /audit/actors": MatrixRow.administrators(),
        "GET /audit/{record_id}": MatrixRow.administrators(),
        "POST /audit/export": MatrixRow.administrators(),
    },
)
