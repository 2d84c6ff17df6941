"""Roles, and what their holders may do: made from the permissions that the manifests of all domains declare."""

from collections.abc import Iterable
from enum import StrEnum

from atoll.web.domain import Permission


class Role(StrEnum):
    """A set of permissions with a name."""

    ADMIN = "admin"
    USER = "user"


EVERYBODY: frozenset[str] = frozenset(Role)
ADMINISTRATORS: frozenset[str] = frozenset({Role.ADMIN})


class PermissionTable:
    """What each role may do."""

    def __init__(self, permissions: Iterable[Permission]) -> None:
        self._permissions = tuple(permissions)

    def of(self, roles: frozenset[Role]) -> frozenset[Permission]:
        """All that the holder of `roles` may do."""
        return frozenset(permission for permission in self._permissions if permission.roles & roles)
