"""The manifest of operations."""

from datetime import timedelta

from atoll.database.notifications import OPERATIONS
from atoll.database.rights import Rights, TableRights
from atoll.operations import codes, policy
from atoll.operations.forgetting import forget
from atoll.operations.live import OperationAudience
from atoll.operations.models import OperationEventRow, OperationRow
from atoll.operations.routes import router
from atoll.web.codes import declared
from atoll.web.domain import Domain, Elsewhere, MatrixRow, PeriodicWork, ProcessPart

DOMAIN = Domain(
    name="operations",
    routers=(router,),
    tables={
        OperationRow: TableRights(
            api=Rights(add=True, changes=("cancel_wanted", "reason", "state", "finished_at", "due_at")),
            jobs=Rights(change=True, remove=True),
        ),
        OperationEventRow: TableRights(api=Rights(add=True), jobs=Rights(add=True)),
    },
    permissions=policy.PERMISSIONS,
    codes=declared(codes),
    actions={
        "operation.create": "Start an operation",
        "operation.cancel": "Cancel an operation",
    },
    channels=(OPERATIONS,),
    parts=(ProcessPart(OperationAudience, lambda _configuration: OperationAudience()),),
    periodic=(PeriodicWork("forget operations", timedelta(hours=1), forget),),
    matrix={
        "GET /operations": MatrixRow.everybody(),
        "GET /operations/stream": Elsewhere("test_a_viewer_sees_the_own_operations_change_and_no_others"),
        "GET /operations/{operation_id}": MatrixRow.owned(admin="ok"),
        # It has ended: who may cancel it is told so.
        "POST /operations/{operation_id}/cancel": MatrixRow.owned(admin=409, owner=409),
    },
)
