"""Who asks."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from atoll.identity.codes import PermissionNeeded, TokenLacksPermission
from atoll.web.domain import Permission
from atoll.web.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class ByToken:
    """The access token by which somebody asks, in place of a session."""

    id: str
    name: str
    read_only: bool
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Caller:
    """A user within one request: signed in, or by an access token, which may do no more than its scope says."""

    id: str
    name: str
    nickname: str
    uid: int
    permissions: frozenset[Permission]
    must_change_password: bool
    address: str
    request_id: str
    token: ByToken | None = None
    # The digest of the session's or access token by which they ask: what is decided behind a wait looks at it again.
    shown: str | None = field(default=None, repr=False)
    kinds: frozenset[str] = frozenset()  # of permissions: with what later versions add to these

    def may(self, permission: Permission) -> bool:
        """Whether the caller holds `permission`."""
        return permission in self.permissions

    def holds(self) -> Iterable[str]:
        """The names of the permissions, and of the kinds that they hold as such."""
        yield from (permission.name for permission in self.permissions)
        yield from self.kinds

    def require(self, permission: Permission) -> None:
        """Raise NotAllowed unless the caller holds `permission`."""
        if permission in self.permissions:
            return
        if self.token is not None:
            raise NotAllowed(TokenLacksPermission(permission=permission.name, token=self.token.name))
        raise NotAllowed(PermissionNeeded(permission=permission.name))
