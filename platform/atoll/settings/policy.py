"""Who may do what with settings: each with their own."""

from atoll.identity.permissions import ANYBODY
from atoll.web.domain import Permission

SETTINGS_READ = Permission("settings:read", ANYBODY)
SETTINGS_WRITE = Permission("settings:write", ANYBODY)
PERMISSIONS = (SETTINGS_READ, SETTINGS_WRITE)
