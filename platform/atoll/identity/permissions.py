"""One table: what each role may do. Routes, the portal's menus and the test matrix are derived from it."""

from enum import StrEnum


class Role(StrEnum):
    """A set of permissions with a name."""

    ADMIN = "admin"
    USER = "user"


class Permission(StrEnum):
    """One thing that a caller may do; what it may do it *to* is the domain's `policy.py`."""

    OVERVIEW_READ = "overview:read"
    TASKS_CREATE = "tasks:create"
    TASKS_READ = "tasks:read"
    TASKS_STOP = "tasks:stop"
    TASKS_DELETE = "tasks:delete"
    TASKS_READ_ALL = "tasks:read_all"
    TASKS_STOP_ALL = "tasks:stop_all"
    FILES_READ = "files:read"
    VIRTUAL_CLUSTERS_READ = "virtual_clusters:read"
    VIRTUAL_CLUSTERS_READ_ALL = "virtual_clusters:read_all"
    IMAGES_READ = "images:read"
    NODES_READ = "nodes:read"
    SERVICES_READ = "services:read"
    SERVICES_OPERATE = "services:operate"
    RUNS_READ = "runs:read"
    AUDIT_READ = "audit:read"
    MONITORING_READ = "monitoring:read"
    USERS_READ = "users:read"
    USERS_MANAGE = "users:manage"


_USER = frozenset(
    {
        Permission.OVERVIEW_READ,
        Permission.TASKS_CREATE,
        Permission.TASKS_READ,
        Permission.TASKS_STOP,
        Permission.TASKS_DELETE,
        Permission.FILES_READ,
        Permission.VIRTUAL_CLUSTERS_READ,
        Permission.IMAGES_READ,
    }
)

PERMISSIONS: dict[Role, frozenset[Permission]] = {
    Role.USER: _USER,
    Role.ADMIN: frozenset(Permission),
}


def permissions_of(roles: frozenset[Role]) -> frozenset[Permission]:
    """All that the holder of `roles` may do."""
    return frozenset().union(*(PERMISSIONS[role] for role in roles))
