"""The audit: the manifest."""

from atoll.audit import policy
from atoll.audit.routes import router
from atoll.audit_trail.models import AuditRow
from atoll.web.domain import Domain, MatrixRow

DOMAIN = Domain(
    name="audit",
    routers=(router,),
    tables=(AuditRow,),
    permissions=policy.PERMISSIONS,
    matrix={"GET /audit": MatrixRow.administrators()},
)
