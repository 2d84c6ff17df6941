"""Who may make archives."""

from atoll.identity.permissions import PLATFORM
from atoll.web.domain import Permission

FILES_WRITE = Permission("files:write", PLATFORM)
PERMISSIONS = (FILES_WRITE,)
