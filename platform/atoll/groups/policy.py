"""Who may do what with groups."""

from atoll.identity.permissions import ADMINISTRATION
from atoll.web.domain import Permission

GROUPS_READ = Permission("groups:read", ADMINISTRATION)
GROUPS_MANAGE = Permission("groups:manage", ADMINISTRATION)
PERMISSIONS = (
    GROUPS_READ,
    GROUPS_MANAGE,
)
