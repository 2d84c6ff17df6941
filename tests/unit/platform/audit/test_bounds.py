"""A row of the audit has a size, and no words are so long that something else is not told for them."""

import json
from typing import Any

import pytest
from atoll.audit_trail.bounds import MARK, MOST_NAMED, bounded, cut, named
from atoll.audit_trail.functions import LONGEST_TEXT, MOST_DETAILS_BYTES

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import a_role, audited, id_of, registered

LONG = "😀" * 64  # as long as a name may be


def size(details: dict[str, Any]) -> int:
    return len(json.dumps(details, ensure_ascii=False).encode())


def test_of_very_many_the_first_are_named_and_the_others_counted() -> None:
    names = [f"user-{number}" for number in range(MOST_NAMED)]
    assert named(names, MOST_NAMED) == names
    assert named(names, 10_000) == [*names, f"{MARK} +{10_000 - MOST_NAMED}"]


def test_what_fits_is_told_as_it_is() -> None:
    details = {"roles": ["User"], "times": 3, "before": {"max_hours": None}, "text": "x" * LONGEST_TEXT}
    assert bounded(details) == details
    assert cut("x" * (LONGEST_TEXT + 1)) == "x" * (LONGEST_TEXT - 1) + "…"


@pytest.mark.parametrize(
    "details",
    [
        {**{f"note{number}": LONG * 9 for number in range(4)}, "grants": ["administration", "platform"]},
        {"roles": [*[LONG] * 99, "System Admin"], "groups": [LONG] * 100, "virtual_clusters": ["c" * 63] * 100},
        {"egress": [{"network": "192.0.2.0/24", "ports": [1] * 64}] * 64, "before": {"egress": [{"a": LONG}] * 64}},
        {f"k{number}": "v" * 999 for number in range(99)},
        {"deep": [[[LONG] * 9] * 9] * 9, "last": '"\\\n' * 200},
    ],
)
def test_what_is_too_much_is_cut_with_a_mark_and_no_name_is_left_out(details: dict[str, Any]) -> None:
    kept = bounded(details)
    assert size(kept) <= MOST_DETAILS_BYTES
    assert [*kept] == [*details, "truncated"]
    assert kept["truncated"] is True
    assert all(kept[name] for name in details), "nothing of it is told"


def test_what_is_short_is_told_whole_beside_what_is_long() -> None:
    grants = ["administration", "platform", "tasks:privileged"]
    kept = bounded(
        {"name": LONG, "description": "\U0001f600" * 512, "note": LONG * 9, "what": LONG * 9, "grants": grants}
    )
    assert kept["grants"] == grants, "what was granted hides behind long words"
    assert kept["description"].endswith("…")
    roles = bounded({"roles": [*[LONG] * 99, "System Admin"]})["roles"]
    assert len(roles) == 100, "roles are left out"
    assert roles[-1] == "System Admin", "a role hides among others with long names"


def test_of_more_than_there_is_room_for_the_number_is_told() -> None:
    kept = bounded({"names": ["n" * 60] * 1000})
    some, mark = kept["names"][:-1], kept["names"][-1]
    assert mark == f"… +{1000 - len(some)}"
    assert all(each.startswith("n") for each in some)


@pytest.mark.parametrize("odd", ["a\x00b", "a\ud800b"])
def test_what_no_database_keeps_is_told_with_a_sign_in_its_place(odd: str) -> None:
    for kept in (cut(odd), bounded({"name": odd})["name"]):
        assert kept == kept.encode("utf-8").decode()
        assert "\x00" not in kept
        assert (kept[0], kept[-1]) == ("a", "b")


async def test_a_change_of_rights_is_in_the_audit_however_long_the_words_beside_it(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Some", "nodes:read")
    grants = sorted(["administration", "platform", "tasks:privileged"])
    changed = await admin.http.patch(
        f"/roles/{role}", json={"name": LONG, "description": "\U0001f600" * 512, "grants": grants}
    )
    assert changed.is_success, changed.text
    last = (await audited(admin, "role"))[-1]
    assert (last[0], last[2].get("grants")) == ("role.update", grants), "what was granted is kept out of the audit"
    many = [await a_role(admin, f"{number:02}{'😀' * 62}", "nodes:read") for number in range(99)]
    ada = await registered(portal, "ada")
    given = await admin.http.put(f"/users/{await id_of(ada)}/roles", json={"roles": [*many, "admin"]})
    assert given.is_success, given.text
    last = (await audited(admin, "user"))[-1]
    assert last[0] == "user.roles"
    assert "System Admin" in last[2].get("roles", []), "who was made an administrator is kept out of the audit"
    assert len(last[2]["roles"]) == 100
