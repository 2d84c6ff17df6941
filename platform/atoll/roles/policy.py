"""Who may do what with roles."""

from atoll.identity.permissions import ADMINISTRATION
from atoll.web.domain import Permission

ROLES_READ = Permission("roles:read", ADMINISTRATION)
ROLES_MANAGE = Permission("roles:manage", ADMINISTRATION)
PERMISSIONS = (
    ROLES_READ,
    ROLES_MANAGE,
)
