"""Who may do what with machines."""

from atoll.identity.permissions import ADMINISTRATORS
from atoll.web.domain import Permission

NODES_READ = Permission("nodes:read", ADMINISTRATORS)
PERMISSIONS = (NODES_READ,)
