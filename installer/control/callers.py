"""Who may ask the control service for what: one table, by the common name of the client's certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Header, Request
from fastapi.routing import APIRoute

from installer.cluster.values import ACCOUNT
from installer.control.accounts import Need, Users
from installer.control.problems import NO_ACTING_USER, NOT_FOR_CALLER, Problem


@dataclass(frozen=True)
class Rights:
    """What one sort of caller may do: operation ids, and the actions of `services_act`.

    A caller that acts `for_users` names the user in the header `Atoll-User` of each request: it does nothing in its own
    name. `streams` are what it may follow, by operation id, each with how many at a time, and `at_once` of its requests
    are worked on: every caller has a share of its own, which no other can take.
    """

    operations: frozenset[str]
    actions: frozenset[str] = frozenset()
    streams: Mapping[str, int] = field(default_factory=dict)
    at_once: int = 2
    revisions: bool = False
    for_users: bool = False


NOBODY = Rights(frozenset())
READS = frozenset(
    {
        "images_describe",
        "images_list",
        "ports_list",
        "runs_events",
        "runs_get",
        "runs_list",
        "services_list",
        "services_logs",
    }
)
# What the user must hold for whom the platform asks: as the permissions of its routes that lead there.
NEEDS = {
    "images_describe": Need("tasks:create", "platform"),
    "images_list": Need("images:read", "platform"),
    "ports_list": Need("services:read", "administration"),
    "runs_events": Need("runs:read", "administration"),
    "runs_get": Need("runs:read", "administration"),
    "runs_list": Need("runs:read", "administration"),
    "services_act": Need("services:operate", "administration"),
    "services_list": Need("services:read", "administration"),
    "services_logs": Need("services:read", "administration"),
}
CALLERS = {
    # `service_ctl` on a master.
    "administrator": Rights(
        READS
        | {
            "health",
            "about",
            "nodes_list",
            "services_get",
            "services_config",
            "services_act",
            "operations_list",
            "operations_get",
            "operations_events",
        },
        frozenset({"start", "stop", "restart"}),
        # A followed log is a thread and an `ssh` for every node that has the service.
        {"services_logs": 16, "operations_events": 64, "runs_events": 32},
        at_once=16,
        revisions=True,
    ),
    # The platform's API, which a stranger may have taken over: it neither stops a service nor chooses what is rendered,
    # and reads the ends of logs, since nothing in the portal follows one; all of it for a user who is signed in.
    "platform": Rights(
        READS | {"services_act"}, frozenset({"restart"}), {"runs_events": 32}, at_once=16, for_users=True
    ),
}


@dataclass(frozen=True)
class Caller:
    """The certificate's common name, and the user for whom it acts, if any."""

    name: str
    rights: Rights
    user: str | None = None

    def __str__(self) -> str:
        return f"{self.user} by {self.name}" if self.user else self.name

    def may_act(self, action: str, revision: str | None) -> None:
        """Refuse an action that this caller may not do. Raises Problem."""
        if action not in self.rights.actions or (revision is not None and not self.rights.revisions):
            raise _refused(self.name, f"{action} a service" + (" with a revision" if revision is not None else ""))

    def may_follow(self, operation: str) -> int:
        """Return how many of these the caller may follow at a time, > 0. Raises Problem."""
        most = self.rights.streams.get(operation, 0)
        if not most:
            raise _refused(self.name, f"follow {operation}")
        return most


def allowed(request: Request, atoll_user: Annotated[str | None, Header()] = None) -> Caller:
    """Return who calls, with the user for whom they act, if they and that user may ask for this. Raises Problem."""
    name = str(getattr(request.state, "caller", "unnamed"))
    route = request.scope.get("route")
    operation = str(route.operation_id) if isinstance(route, APIRoute) else ""
    rights = CALLERS.get(name, NOBODY)
    if operation not in rights.operations:
        raise _refused(name, operation)
    if not rights.for_users:
        return Caller(name, rights)
    if atoll_user is None or not ACCOUNT.fullmatch(atoll_user):
        raise Problem(
            NO_ACTING_USER,
            f"`{name}` does not say for whom it acts.",
            "It names a user of the platform in the header Atoll-User.",
        )
    users: Users = request.app.state.users
    users.check(atoll_user, NEEDS[operation], anew=request.method != "GET")
    return Caller(name, rights, atoll_user)


Asking = Annotated[Caller, Depends(allowed)]


def _refused(name: str, what: str) -> Problem:
    return Problem(
        NOT_FOR_CALLER,
        f"The certificate of `{name}` is not for this: {what}.",
        "What each may do stands in installer/control/callers.py; on a master, service_ctl has the administrator's.",
    )
