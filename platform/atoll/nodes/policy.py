"""Who may do what with machines."""

from atoll.identity.permissions import ADMINISTRATION
from atoll.web.domain import Permission

NODES_READ = Permission("nodes:read", ADMINISTRATION)
PERMISSIONS = (NODES_READ,)
