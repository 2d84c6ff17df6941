"""Who may do what with charts of the cluster."""

from atoll.identity.permissions import ADMINISTRATORS
from atoll.web.domain import Permission

MONITORING_READ = Permission("monitoring:read", ADMINISTRATORS)
PERMISSIONS = (MONITORING_READ,)
