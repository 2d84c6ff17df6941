"""Who may do what with people: permissions of the domains `users`, `groups` and `roles`, which know each other's."""

from atoll.identity.permissions import ADMINISTRATION
from atoll.web.domain import Permission

USERS_READ = Permission("users:read", ADMINISTRATION)
USERS_MANAGE = Permission("users:manage", ADMINISTRATION)
GROUPS_READ = Permission("groups:read", ADMINISTRATION)
GROUPS_MANAGE = Permission("groups:manage", ADMINISTRATION)
ROLES_READ = Permission("roles:read", ADMINISTRATION)
ROLES_MANAGE = Permission("roles:manage", ADMINISTRATION)
