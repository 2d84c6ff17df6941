"""What can be granted, and what it comes to: made from the permissions that the manifests of all domains declare."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from atoll.web.domain import Permission


class PermissionKind(StrEnum):
    """Many permissions by one name. Who is granted one has those of the kind that later versions add, too."""

    PLATFORM = "platform"
    ANNOTATION = "annotation"
    ADMINISTRATION = "administration"


# What a manifest says of its permissions: of which kinds each is. What is of all kinds comes with whatever is granted.
PLATFORM: frozenset[str] = frozenset({PermissionKind.PLATFORM})
ADMINISTRATION: frozenset[str] = frozenset({PermissionKind.ADMINISTRATION})
ANYBODY: frozenset[str] = frozenset(PermissionKind)
# All rights of the platform are with annotation, and without the management of users.
_COMPRISES: Mapping[str, frozenset[str]] = {
    PermissionKind.PLATFORM: frozenset({PermissionKind.PLATFORM, PermissionKind.ANNOTATION})
}


@dataclass(frozen=True, slots=True)
class Preset:
    """A role that every installation has, and nobody changes."""

    id: str
    name: str
    description: str
    grants: tuple[str, ...]


ADMIN_ROLE, USER_ROLE, ANNOTATOR_ROLE = "admin", "user", "annotator"
PRESETS = (
    Preset(
        ADMIN_ROLE,
        "System Admin",
        "Everything: the platform, and users, groups, roles, virtual clusters, nodes, services, all tasks, the audit.",
        (PermissionKind.ADMINISTRATION, PermissionKind.PLATFORM),
    ),
    Preset(
        USER_ROLE,
        "User",
        "All of the platform, annotation included; no management of users.",
        (PermissionKind.PLATFORM,),
    ),
    Preset(ANNOTATOR_ROLE, "Annotation person", "Annotation only.", (PermissionKind.ANNOTATION,)),
)


class PermissionTable:
    """What each grant comes to: a kind, or the name of a single permission."""

    def __init__(self, permissions: Iterable[Permission]) -> None:
        self.permissions = tuple(permissions)
        by_kind = {
            str(kind): frozenset(each for each in self.permissions if each.kinds & _COMPRISES.get(kind, {kind}))
            for kind in PermissionKind
        }
        self._anybody = frozenset(each for each in self.permissions if each.kinds >= ANYBODY)
        self._granted = by_kind | {each.name: frozenset({each}) for each in self.permissions}

    def knows(self, grant: str) -> bool:
        """Whether there is such a thing to be granted."""
        return grant in self._granted

    def scope(self, grants: Iterable[str]) -> frozenset[Permission]:
        """What `grants` name, and no more: nothing comes with what was chosen for an access token, or is given."""
        return frozenset[Permission]().union(*(self._granted[grant] for grant in grants if self.knows(grant)))

    def lasting(self, grants: Iterable[str]) -> frozenset[str]:
        """The kinds among `grants`, and those within them: with what later versions add to each."""
        within = {str(kind): _COMPRISES.get(kind, frozenset({str(kind)})) for kind in PermissionKind}
        return frozenset(
            kind for grant in grants if grant in within for kind, parts in within.items() if parts <= within[grant]
        )

    def of(self, grants: Iterable[str]) -> frozenset[Permission]:
        """All that `grants` come to; one that only a later version knows comes to nothing."""
        known = [grant for grant in grants if self.knows(grant)]
        return frozenset[Permission]().union(*(self._granted[grant] for grant in known), self._anybody if known else ())
