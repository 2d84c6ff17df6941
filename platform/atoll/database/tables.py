"""All tables, so that migrations and tests see the whole schema."""

from atoll.audit_trail.models import AuditRow
from atoll.database.base import Table
from atoll.engines.models import NodeRow
from atoll.identity.models import SessionRow, SignInFailureRow, UserRow
from atoll.tasks.models import AttemptRow, EventRow, IdempotencyRow, ReplicaRow, TaskRow
from atoll.virtual_clusters.models import MemberRow, QuotaRow, VirtualClusterRow

TABLES = (
    AttemptRow,
    AuditRow,
    EventRow,
    IdempotencyRow,
    MemberRow,
    NodeRow,
    QuotaRow,
    ReplicaRow,
    SessionRow,
    SignInFailureRow,
    TaskRow,
    UserRow,
    VirtualClusterRow,
)
metadata = Table.metadata
