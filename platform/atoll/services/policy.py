"""Who may do what with services and runs."""

from atoll.identity.permissions import ADMINISTRATORS
from atoll.web.domain import Permission

SERVICES_READ = Permission("services:read", ADMINISTRATORS)
SERVICES_OPERATE = Permission("services:operate", ADMINISTRATORS)
RUNS_READ = Permission("runs:read", ADMINISTRATORS)
PERMISSIONS = (
    SERVICES_READ,
    SERVICES_OPERATE,
    RUNS_READ,
)
