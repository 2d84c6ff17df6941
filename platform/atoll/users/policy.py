"""Who may do what with accounts."""

from atoll.identity.permissions import ADMINISTRATION
from atoll.web.domain import Permission

USERS_READ = Permission("users:read", ADMINISTRATION)
USERS_MANAGE = Permission("users:manage", ADMINISTRATION)
PERMISSIONS = (
    USERS_READ,
    USERS_MANAGE,
)
