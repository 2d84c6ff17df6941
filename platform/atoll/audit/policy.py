"""Who may do what with the audit."""

from atoll.identity.permissions import ADMINISTRATORS
from atoll.web.domain import Permission

AUDIT_READ = Permission("audit:read", ADMINISTRATORS)
PERMISSIONS = (AUDIT_READ,)
