"""Who asks."""

from collections.abc import Iterable
from dataclasses import dataclass

from atoll.identity.codes import PermissionNeeded
from atoll.web.domain import Permission
from atoll.web.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class Caller:
    """A signed-in user within one request."""

    id: str
    name: str
    nickname: str
    uid: int
    permissions: frozenset[Permission]
    must_change_password: bool
    address: str
    request_id: str

    def may(self, permission: Permission) -> bool:
        """Whether the caller holds `permission`."""
        return permission in self.permissions

    def holds(self) -> Iterable[str]:
        """The names of the permissions."""
        return (permission.name for permission in self.permissions)

    def require(self, permission: Permission) -> None:
        """Raise NotAllowed unless the caller holds `permission`."""
        if permission not in self.permissions:
            raise NotAllowed(PermissionNeeded(permission=permission.name))
