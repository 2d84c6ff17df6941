"""Who may do what with users' files."""

from atoll.identity.permissions import PLATFORM
from atoll.web.domain import Permission

FILES_READ = Permission("files:read", PLATFORM)
PERMISSIONS = (FILES_READ,)
