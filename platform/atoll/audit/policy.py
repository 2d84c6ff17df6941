"""Who may do what with the audit."""

from atoll.identity.permissions import ADMINISTRATION
from atoll.web.domain import Permission

AUDIT_READ = Permission("audit:read", ADMINISTRATION)
PERMISSIONS = (AUDIT_READ,)
