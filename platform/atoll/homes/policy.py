"""Who may do what with users' files."""

from atoll.identity.permissions import EVERYBODY
from atoll.web.domain import Permission

FILES_READ = Permission("files:read", EVERYBODY)
PERMISSIONS = (FILES_READ,)
