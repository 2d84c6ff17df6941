"""The contract and the guards of its routes. Needs nothing."""

import json

import pytest
from atoll.api.openapi import CONTRACT, contract
from atoll.api.routes import PREFIX, ROUTERS, routes
from atoll.web.dependencies import Guard, Public
from fastapi.routing import APIRoute


def api_routes() -> list[APIRoute]:
    return [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]


def guards(route: APIRoute) -> list[Guard | Public]:
    found: list[Guard | Public] = []
    pending = [route.dependant]
    while pending:
        dependant = pending.pop()
        if isinstance(dependant.call, Guard | Public):
            found.append(dependant.call)
        pending.extend(dependant.dependencies)
    return found


def test_the_committed_contract_is_the_code() -> None:
    made = contract(routes(frozenset()))
    assert json.loads(CONTRACT.read_text()) == json.loads(json.dumps(made)), "run `python -m atoll.api.openapi`"


@pytest.mark.parametrize("route", api_routes(), ids=lambda route: f"{sorted(route.methods)[0]} {route.path}")
def test_every_route_says_who_may_use_it(route: APIRoute) -> None:
    found = guards(route)
    assert len(found) == 1
    if isinstance(found[0], Guard) and found[0].permission is None:
        assert route.path.startswith("/session")


def test_only_sign_in_and_about_are_public() -> None:
    public = {(min(route.methods), route.path) for route in api_routes() if isinstance(guards(route)[0], Public)}
    assert public == {("POST", "/session"), ("GET", "/about")}


def test_operation_names_are_unique() -> None:
    document = contract(routes(frozenset()))
    names = [item["operationId"] for path in document["paths"].values() for item in path.values()]
    assert len(names) == len(set(names))
    assert all(path.startswith(PREFIX) for path in document["paths"])
