"""The contract and the guards of its routes. Needs nothing."""

import inspect
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from atoll.api.domains import DOMAINS, permissions, task_kinds
from atoll.api.openapi import CONTRACT, published
from atoll.api.routes import PREFIX, ROUTERS
from atoll.identity.dependencies import Guard, Public
from atoll.identity.permissions import PRESETS, PermissionKind, PermissionTable
from atoll.web.dependencies import transaction
from atoll.web.errors import install
from fastapi import APIRouter, FastAPI, Response
from fastapi.routing import APIRoute


def api_routes() -> list[APIRoute]:
    return [route for _, router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]


def methods(route: APIRoute) -> set[str]:
    assert route.methods, route.path
    return route.methods


def unjudged(router: APIRouter) -> list[str]:
    return [f"{type(route).__name__} {route}" for route in router.routes if not isinstance(route, APIRoute)]


def test_routers_have_nothing_but_routes_that_say_who_may_use_them() -> None:
    strange = [place for _, router in ROUTERS for place in unjudged(router)]
    assert strange == [], "a mount, a WebSocket or a plain route is seen by no other test of who may use what"


@pytest.mark.parametrize("kind", ["mount", "route", "websocket"])
def test_a_route_of_another_kind_is_found(kind: str) -> None:
    router = APIRouter()
    if kind == "mount":
        router.mount("/files", FastAPI())
    elif kind == "route":
        router.add_route("/plain", lambda _: Response())
    else:
        router.add_api_websocket_route("/socket", lambda: None)
    assert len(unjudged(router)) == 1


def called(route: APIRoute) -> list[Callable[..., Any]]:
    """The route's function, and all that it depends on."""
    found: list[Callable[..., Any]] = []
    pending = [route.dependant]
    while pending:
        dependant = pending.pop()
        assert dependant.call, route.path
        found.append(dependant.call)
        pending.extend(dependant.dependencies)
    return found


def guards(route: APIRoute) -> list[Guard | Public]:
    return [call for call in called(route) if isinstance(call, Guard | Public)]


def in_a_thread(call: Any) -> bool:
    """Whether FastAPI starts a thread for it."""
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    function = call if inspect.isroutine(call) else call.__call__
    return not any(kind(function) for kind in kinds)


def test_the_committed_contract_is_the_code() -> None:
    assert json.loads(CONTRACT.read_text()) == json.loads(published()), "run `python -m atoll.api.openapi`"


@pytest.mark.parametrize("route", api_routes(), ids=lambda route: f"{min(methods(route))} {route.path}")
def test_every_route_says_who_may_use_it(route: APIRoute) -> None:
    found = guards(route)
    assert len(found) == 1
    if isinstance(found[0], Guard) and found[0].permission is None:
        assert re.match(r"/(session|sessions|access-tokens)(/|$)", route.path), "more than the own ways in"


def test_what_needs_no_permission_is_for_who_is_signed_in_and_for_no_token_but_to_see_who_it_is() -> None:
    judged = {f"{min(methods(route))} {route.path}": guards(route)[0] for route in api_routes()}
    by_token = {operation: guard.by_token for operation, guard in judged.items() if isinstance(guard, Guard)}
    without = {operation for operation, guard in judged.items() if isinstance(guard, Guard) and not guard.permission}
    assert {operation for operation in without if by_token[operation]} == {"GET /session"}
    closed = {operation for operation, open_to in by_token.items() if not open_to}
    assert closed == (without - {"GET /session"}) | {"POST /users/{user_id}/reset-password"}


def test_only_sign_in_registration_and_about_are_public() -> None:
    public = {(min(methods(route)), route.path) for route in api_routes() if isinstance(guards(route)[0], Public)}
    ways = {("POST", f"/session/ways/{{way}}{rest}") for rest in ("/start", "", "/account")}
    assert public == {("POST", "/session"), ("POST", "/registrations"), ("GET", "/about")} | ways


def test_no_request_goes_through_a_thread_by_accident() -> None:
    places = {call.__qualname__ for route in api_routes() for call in called(route) if in_a_thread(call)}
    assert places == set(), "make it `async`; what takes long goes to a thread by `to_thread`, or to another service"
    app = FastAPI()
    install(app)
    assert [handler for handler in app.exception_handlers.values() if in_a_thread(handler)] == []


@pytest.mark.parametrize(("call", "is_so"), [(lambda: None, True), (Public(), False), (transaction, False)])
def test_what_goes_through_a_thread_is_found(call: Any, is_so: bool) -> None:
    assert in_a_thread(call) is is_so


def test_operations_are_named_by_their_domain_and_a_verb_and_no_name_twice() -> None:
    document = json.loads(published())
    names = [item["operationId"] for path in document["paths"].values() for item in path.values()]
    assert len(names) == len(set(names))
    assert all(path.startswith(PREFIX) for path in document["paths"])
    domains = {domain.name for domain in DOMAINS}
    strange = [name for name in names if not any(name.startswith(f"{domain}_") for domain in domains)]
    assert not strange


def test_schemas_have_names_of_their_own() -> None:
    document = json.loads(published())
    # FastAPI tells two classes of one name apart by their modules.
    assert not [name for name in document["components"]["schemas"] if "__" in name]


def test_every_schema_that_is_named_exists() -> None:
    document = published().decode()
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', document))
    assert named <= set(json.loads(document)["components"]["schemas"])


def test_kinds_of_tasks_are_those_of_the_manifests_and_need_a_permission_that_is_declared() -> None:
    document = json.loads(published())
    names = [kind.name for kind in task_kinds()]
    assert len(names) == len(set(names))
    assert document["components"]["schemas"]["TaskKind"]["enum"] == names
    assert {kind.permission for kind in task_kinds()} <= set(permissions())
    kinds = {"allOf": [{"$ref": "#/components/schemas/TaskKind"}]}
    for shown in ("Task", "TaskSummary", "KindCounts"):
        assert kinds.items() <= document["components"]["schemas"][shown]["properties"]["kind"].items()


def test_permissions_are_held_by_somebody_and_declared_once() -> None:
    names = [permission.name for permission in permissions()]
    assert len(names) == len(set(names))
    assert all(permission.kinds and permission.kinds <= frozenset(PermissionKind) for permission in permissions())
    asked = {found.permission for route in api_routes() for found in guards(route) if isinstance(found, Guard)}
    assert asked - {None} <= set(permissions())


def test_what_administrators_may_do_is_everything() -> None:
    assert PermissionTable(permissions()).of(PRESETS[0].grants) == set(permissions())


def test_domains_have_names_of_their_own_and_use_what_there_is() -> None:
    names = [domain.name for domain in DOMAINS]
    assert len(names) == len(set(names))
    assert {name for domain in DOMAINS for name in domain.uses} <= set(names)
