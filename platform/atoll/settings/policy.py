"""Who may do what with settings: each with their own."""

from atoll.identity.permissions import EVERYBODY
from atoll.web.domain import Permission

SETTINGS_READ = Permission("settings:read", EVERYBODY)
SETTINGS_WRITE = Permission("settings:write", EVERYBODY)
PERMISSIONS = (SETTINGS_READ, SETTINGS_WRITE)
