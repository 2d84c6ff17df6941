"""Who may do what with the first page."""

from atoll.identity.permissions import EVERYBODY
from atoll.web.domain import Permission

OVERVIEW_READ = Permission("overview:read", EVERYBODY)
PERMISSIONS = (OVERVIEW_READ,)
