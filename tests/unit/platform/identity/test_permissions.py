"""What grants come to, and which names are the same. Needs nothing but for the preset roles of a database."""

import pytest
from atoll.database.connection import Sessions
from atoll.identity import names
from atoll.identity.models import RoleRow
from atoll.identity.permissions import ADMINISTRATION, ANYBODY, PLATFORM, PRESETS, PermissionKind, PermissionTable
from atoll.web.domain import Permission
from sqlalchemy import select

READ, DRAW, RULE = (
    Permission("things:read", PLATFORM),
    Permission("things:draw", frozenset({PermissionKind.ANNOTATION})),
    Permission("things:rule", ADMINISTRATION),
)
BOTH = Permission("things:see", PLATFORM | ADMINISTRATION)
OWN = Permission("things:own", ANYBODY)
TABLE = PermissionTable((READ, DRAW, RULE, BOTH, OWN))


@pytest.mark.parametrize(
    ("grants", "comes_to"),
    [
        ((), set()),
        (("platform",), {READ, DRAW, BOTH, OWN}),
        (("annotation",), {DRAW, OWN}),
        (("administration",), {RULE, BOTH, OWN}),
        (("things:read",), {READ, OWN}),
        (("things:read", "annotation"), {READ, DRAW, OWN}),
        (("things:own",), {OWN}),
        (("things:later", "kind-of-later"), set()),
        (("things:later", "things:rule"), {RULE, OWN}),
    ],
)
def test_a_grant_is_a_kind_or_a_single_permission(grants: tuple[str, ...], comes_to: set[Permission]) -> None:
    assert TABLE.of(grants) == comes_to, "a grant comes to something else"


@pytest.mark.parametrize(
    ("grants", "kinds"),
    [
        (("platform",), {"platform", "annotation"}),
        (("annotation",), {"annotation"}),
        (("administration", "things:read"), {"administration"}),
        (tuple(each.name for each in TABLE.permissions), set()),
        (("things:later", "kind-of-later"), set()),
    ],
)
def test_who_holds_all_that_a_kind_comes_to_now_does_not_hold_the_kind(
    grants: tuple[str, ...], kinds: set[str]
) -> None:
    assert TABLE.lasting(grants) == kinds, "what later versions add to a kind is given by who will not hold it"


def test_what_is_no_kind_and_no_permission_cannot_be_granted() -> None:
    assert TABLE.knows("annotation")
    assert TABLE.knows("things:rule")
    assert not TABLE.knows("things:later")


def test_the_preset_roles_are_those_of_the_manual() -> None:
    assert [(role.id, role.name, role.grants) for role in PRESETS] == [
        ("admin", "System Admin", ("administration", "platform")),
        ("user", "User", ("platform",)),
        ("annotator", "Annotation person", ("annotation",)),
    ]


async def test_every_installation_has_the_preset_roles(stored: Sessions) -> None:
    async with stored() as session:
        rows = {row.id: row for row in await session.scalars(select(RoleRow))}
    assert rows.keys() == {role.id for role in PRESETS}
    for role in PRESETS:
        row = rows[role.id]
        assert (row.name, row.description, tuple(row.grants)) == (role.name, role.description, role.grants)
        assert (row.preset, row.name_key) == (True, names.key(role.name))


@pytest.mark.parametrize(("one", "other"), [("Ops", "oPS"), ("Ops", "\uff2f\uff50\uff53"), ("Straße", "STRASSE")])
def test_a_name_is_the_same_however_it_is_written(one: str, other: str) -> None:
    assert names.key(one) == names.key(other)


def test_other_names_are_others() -> None:
    assert names.key("Ops 1") != names.key("Ops 2")
