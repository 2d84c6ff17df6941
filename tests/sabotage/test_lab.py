"""Promises about the installed cluster: each is broken there, its system test turns red, and the cluster is mended.

Needs root and the cluster that the suite `system` leaves running. What was seen on a commit is kept in
tests/results/sabotage, so that a part that ran out of time goes on where it was.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator

import pytest

from installer.testing.results import commit
from tests.sabotage.parts import SEEN, keep, refuse_when_late, seen_before
from tests.sabotage.standing import WHOLE, Standing
from tests.sabotage.table import Entry, entries
from tests.sabotage.trees import no_complaint, run_tests, why_not_green, why_not_red

# Those with nothing to install first, then those that need the same way: each mends what the one before it broke.
LAB = sorted(entries("lab"), key=lambda entry: WHOLE.index(entry.deploy) if entry.deploy in WHOLE else -1)
SUITE, SOUND_MINUTES = "sabotage-lab", 12.0


@pytest.fixture(scope="module")
def found() -> Standing:
    standing = Standing()
    standing.find()
    return standing


@pytest.fixture(scope="module")
def standing(found: Standing) -> Iterator[Standing]:
    found.prepare()
    yield found
    found.mend()


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("entry", LAB, ids=lambda entry: entry.name)
def test_the_test_turns_red_when_the_promise_is_broken(
    entry: Entry, found: Standing, request: pytest.FixtureRequest
) -> None:
    record, now = SEEN / f"{entry.name}.json", commit()
    if seen_before(record, entry.digest, now):
        return
    refuse_when_late(SUITE, entry.minutes)
    standing: Standing = request.getfixturevalue("standing")
    began = time.monotonic()
    standing.make_way(entry)
    sound = {name: (standing.tree / name).read_bytes() for name in entry.touched()}
    runs = standing.runs()
    try:
        entry.apply(standing.tree)
        standing.fill_in_secrets(entry)
        standing.deploy(entry)
        tested = run_tests(standing.tree, standing.python, [entry.test], 1500)
    finally:
        for name, content in sound.items():
            (standing.tree / name).write_bytes(content)
        standing.forget_runs(runs)
        standing.stop_tasks()
    no_complaint(why_not_red(entry, tested))
    keep(record, entry.digest, now, time.monotonic() - began)


@pytest.mark.timeout(3000)
def test_the_cluster_is_as_sound_as_before(found: Standing, request: pytest.FixtureRequest) -> None:
    """Every test that was red is green again: without that, red proves nothing, and something was left broken."""
    record, now = SEEN / "sound.json", commit()
    digest = hashlib.sha256("".join(entry.digest for entry in LAB).encode()).hexdigest()[:16]
    if seen_before(record, digest, now):
        return
    refuse_when_late(SUITE, SOUND_MINUTES)
    standing: Standing = request.getfixturevalue("standing")
    began = time.monotonic()
    standing.mend()
    tested = run_tests(standing.tree, standing.python, sorted({entry.test for entry in LAB}), 1500)
    no_complaint("\n".join(filter(None, (why_not_green(entry, tested) for entry in LAB))))
    keep(record, digest, now, time.monotonic() - began)
