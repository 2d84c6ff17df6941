"""What is lent is taken back: virtual clusters that share all cards of a node, by real Kueue, with pods."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.system.harness import Atoll, Portal, wait_for
from tests.system.people import Browser, people
from tests.system.shares import TYPE, Share

HALF = 4
# It is told to end, and does so at once; whoever is let in again says so once more.
HOLD = "import time\nprint('RUNS', flush=True)\ntime.sleep(900)\n"


@pytest.fixture
def nothing_idle(portal: Portal) -> Iterator[None]:
    """`default` leaves its cards to others: who needs the own share then takes back what was lent of it."""
    clusters = portal.client.get("/virtual-clusters").json()["items"]
    (default,) = [each for each in clusters if each["name"] == "default"]
    path = f"/virtual-clusters/{default['id']}"
    before = {each["type"]: each["total"] for each in default["devices"]}
    assert before[TYPE] == 2 * HALF

    def grant(devices: dict[str, Any]) -> None:
        answer = portal.client.patch(path, json={"devices": devices})
        assert answer.is_success, answer.text
        wait_for("the queue has it", lambda: portal.client.get(path).json()["standing"] == "ready", 60)

    grant({name: count for name, count in before.items() if name != TYPE})
    try:
        yield
    finally:
        grant(before)


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("nothing_idle")
def test_what_is_lent_is_given_back_at_once_and_what_was_interrupted_runs_again(atoll: Atoll, portal: Portal) -> None:
    lends = Share(atoll, portal, devices={TYPE: HALF}, max_devices_per_user={TYPE: HALF})
    borrows = Share(atoll, portal, devices={TYPE: HALF}, max_devices_per_user={TYPE: 2 * HALF}, borrows=True)
    with people(atoll, portal) as make:
        ada, bob = make("ada", virtual_clusters=[]), make("bob", virtual_clusters=[])
        assert lends.members(ada).is_success
        assert borrows.members(bob).is_success
        wait_for("the queues of both", lambda: lends.of_member(ada) and borrows.of_member(bob), 60)
        with closing(ada.browser()) as of_ada, closing(bob.browser()) as of_bob:
            owner, borrower = Browser(ada, of_ada), Browser(bob, of_bob)
            wide = borrower.run(atoll, "wide", HOLD, virtual_cluster=borrows.name, device_type=TYPE, devices=2 * HALF)
            borrower.wait_state(wide, {"running"}, 180)
            began = time.monotonic()
            own = owner.run(atoll, "own", "print('mine')", virtual_cluster=lends.name, device_type=TYPE, devices=HALF)
            borrower.wait_state(wide, {"queued"}, 60)
            given_back = time.monotonic() - began
            assert owner.wait_state(own, {"finished", "failed", "error"}, 120)["state"] == "finished"
            print(f"given back after {given_back:.1f} s, finished after {time.monotonic() - began:.1f} s")
            again = borrower.wait_state(wide, {"running"}, 120)
            assert len(again["attempts"]) == 2, again["attempts"]
            of_bob.post(f"/tasks/{wide}/stop")
            borrower.wait_state(wide, {"killed"}, 120)
    lends.delete()
    borrows.delete()
