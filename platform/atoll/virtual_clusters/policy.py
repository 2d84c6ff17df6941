"""Who may do what with virtual clusters."""

from atoll.identity.permissions import ADMINISTRATION, PLATFORM
from atoll.web.domain import Permission

VIRTUAL_CLUSTERS_READ = Permission("virtual_clusters:read", PLATFORM)
VIRTUAL_CLUSTERS_READ_ALL = Permission("virtual_clusters:read_all", ADMINISTRATION)
VIRTUAL_CLUSTERS_MANAGE = Permission("virtual_clusters:manage", ADMINISTRATION)
PERMISSIONS = (
    VIRTUAL_CLUSTERS_READ,
    VIRTUAL_CLUSTERS_READ_ALL,
    VIRTUAL_CLUSTERS_MANAGE,
)
