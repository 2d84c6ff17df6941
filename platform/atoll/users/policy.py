"""Who may do what with accounts."""

from atoll.identity.permissions import ADMINISTRATORS
from atoll.web.domain import Permission

USERS_READ = Permission("users:read", ADMINISTRATORS)
USERS_MANAGE = Permission("users:manage", ADMINISTRATORS)
PERMISSIONS = (
    USERS_READ,
    USERS_MANAGE,
)
