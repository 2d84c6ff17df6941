"""Who may do what with settings: each with their own."""

from atoll.identity.permissions import PermissionKind
from atoll.web.domain import Permission

ANYBODY: frozenset[str] = frozenset(PermissionKind)  # whoever may do anything at all
SETTINGS_READ = Permission("settings:read", ANYBODY)
SETTINGS_WRITE = Permission("settings:write", ANYBODY)
PERMISSIONS = (SETTINGS_READ, SETTINGS_WRITE)
