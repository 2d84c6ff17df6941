"""Who may do what with charts of the cluster."""

from atoll.identity.permissions import ADMINISTRATION
from atoll.web.domain import Permission

MONITORING_READ = Permission("monitoring:read", ADMINISTRATION)
PERMISSIONS = (MONITORING_READ,)
