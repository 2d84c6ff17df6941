"""Who may do what with the first page."""

from atoll.identity.permissions import PLATFORM
from atoll.web.domain import Permission

OVERVIEW_READ = Permission("overview:read", PLATFORM)
PERMISSIONS = (OVERVIEW_READ,)
