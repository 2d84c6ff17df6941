"""Who may make archives."""

from atoll.identity.permissions import EVERYBODY
from atoll.web.domain import Permission

FILES_WRITE = Permission("files:write", EVERYBODY)
PERMISSIONS = (FILES_WRITE,)
