"""Who may do what with services and runs."""

from atoll.identity.permissions import ADMINISTRATION
from atoll.web.domain import Permission

SERVICES_READ = Permission("services:read", ADMINISTRATION)
SERVICES_OPERATE = Permission("services:operate", ADMINISTRATION)
RUNS_READ = Permission("runs:read", ADMINISTRATION)
PERMISSIONS = (
    SERVICES_READ,
    SERVICES_OPERATE,
    RUNS_READ,
)
