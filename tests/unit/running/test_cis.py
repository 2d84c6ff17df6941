"""Findings of the CIS benchmark, waivers, and what is told of them. Needs nothing but this machine."""

import datetime
import io
import json
from pathlib import Path

import pytest

from installer.cluster import reference
from installer.progress.stages import JsonProgress, PlainProgress
from installer.running import cis, cis_waivers
from installer.running.cis import Finding
from installer.running.cis_waivers import Waiver, WaiverError
from installer.running.errors import RunError

TODAY = datetime.date(2026, 11, 23)
GOOD = '- {check: "1.1.12", nodes: [master], reason: static pod, end: 2026-11-23}\n'


def finding(check: str, state: str = "failed", node: str = "m", roles: tuple[str, ...] = ("master",)) -> Finding:
    return Finding(node, roles, check, f"text of {check}", state, "permissions=644", "chmod 600")


def waivers(tmp_path: Path, text: str) -> tuple[Waiver, ...]:
    file = tmp_path / "cis-waivers.yaml"
    file.write_text(text)
    return cis_waivers.read(file)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("check: 1", "is no list"),
        ("- {check: [", "cannot be read"),
        ("- one", r":1: is no waiver"),
        (GOOD + '- {check: "1.1.1", end: 2027-01-01}', r":2: `reason` is missing"),
        (GOOD + '- {check: "1.1.1", reason: x}', r":2: `end` is missing"),
        ('- {check: "1.1.1", reason: " ", end: 2027-01-01}', r":1: `reason` is missing"),
        ('- {check: "1.1.1", reason: x, end: soon}', r":1: `end` is missing"),
        ("- {check: 2.1, reason: x, end: 2027-01-01}", r":1: `check` is the id of a check, in quotes"),
        ('- {check: "2.1", reason: x, end: 2027-01-01, why: [a]}', r":1: unknown key `why`"),
        ('- {check: "2.1", reason: x, end: 2027-01-01, nodes: master}', r":1: `nodes` is a list"),
        ('- {check: "2.1", reason: x, end: 2027-01-01, nodes: []}', r":1: `nodes` is a list"),
    ],
)
def test_a_waiver_that_lacks_something_is_told_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(WaiverError, match=says) as told:
        waivers(tmp_path, text)
    assert told.value.remedy


def test_all_mistakes_are_told_at_once_and_an_empty_file_waives_nothing(tmp_path: Path) -> None:
    with pytest.raises(WaiverError, match=r"(?s):1: .*:2: "):
        waivers(tmp_path, '- {check: "1"}\n- two\n')
    assert waivers(tmp_path, "# nothing yet\n") == ()


def test_what_is_waived_fails_nothing_and_the_rest_fails(tmp_path: Path) -> None:
    found = [finding("1.1.12"), finding("4.1.1"), finding("1.1.1", "passed"), finding("5.1.1", "manual")]
    verdict = cis.judge(found, waivers(tmp_path, GOOD), TODAY)
    assert [(one.id, waiver.reason) for one, waiver in verdict.waived] == [("1.1.12", "static pod")]
    assert [(one.id, said) for one, said in verdict.failures] == [("4.1.1", "")]
    assert verdict.passed_of == {"1": 1}
    assert (verdict.passed, verdict.manual, verdict.ok) == (1, (("5.1.1", "text of 5.1.1"),), False)
    assert cis.judge([finding("1.1.12"), finding("5.1.1", "manual")], waivers(tmp_path, GOOD), TODAY).ok


def test_a_waiver_holds_on_its_nodes_only(tmp_path: Path) -> None:
    by_role, by_name = waivers(tmp_path, GOOD + GOOD.replace("master", "w7"))
    worker = finding("1.1.12", node="w1", roles=("worker",))
    for one in (by_role, by_name):
        failing = [found.id for found, _ in cis.judge([worker], [one], TODAY).failures]
        assert failing == ["1.1.12"], "a waiver of other nodes counts"
    assert cis.judge([finding("1.1.12", node="w7", roles=("worker",))], [by_name], TODAY).ok


def test_an_ended_waiver_counts_no_more_and_is_named(tmp_path: Path) -> None:
    verdict = cis.judge([finding("1.1.12")], waivers(tmp_path, GOOD), TODAY + datetime.timedelta(days=1))
    assert not verdict.waived, "a waiver counts behind its last day"
    assert verdict.failures[0][1] == "its waiver ended on 2026-11-23 (cis-waivers.yaml:1): mend it, or renew it"


def test_a_waiver_of_no_check_is_refused_and_one_that_nothing_needs_is_told(tmp_path: Path) -> None:
    given = waivers(tmp_path, GOOD)
    with pytest.raises(WaiverError, match=r":1: the benchmark has no check `1\.1\.12`"):
        cis.judge([finding("1.1.1")], given, TODAY)
    verdict = cis.judge([finding("1.1.12", "passed")], given, TODAY)
    assert verdict.ok
    assert verdict.notes == ("cis-waivers.yaml:1: nothing that fails needs the waiver of 1.1.12; take it out",)
    assert cis.judge([finding("1.1.1", "passed")], given, TODAY, whole=False).notes == ()


def test_a_silent_node_is_not_green() -> None:
    verdict = cis.Verdict({}, (), (), (), (), (("w1", "no answer"),))
    assert not verdict.ok


def test_the_products_waivers_give_a_reason_and_none_has_ended() -> None:
    """One that has ended stands in nobody's way by this: it is time to mend what it waives, or to say why not yet."""
    today = datetime.datetime.now(datetime.UTC).date()
    ended = [one.place for one in cis_waivers.read(cis_waivers.PRODUCT) if not one.reason or one.ended(today)]
    assert ended == []


def test_what_kube_bench_says_is_read_strictly() -> None:
    node = reference().nodes[0]
    row = {"id": "1.1.1", "part": "master", "text": "t", "state": "failed", "seen": "s", "wanted": "w", "remedy": "r"}
    assert cis.parse(node, json.dumps([row]))[0].id == "1.1.1"
    with pytest.raises(RunError, match="not understood"):
        cis.parse(node, '[{"id": "1.1.1"}]')


def test_what_failed_is_told_with_its_check_and_node_in_words_and_as_an_event(tmp_path: Path) -> None:
    verdict = cis.judge([finding("1.1.12"), finding("4.1.1", node="w1")], waivers(tmp_path, GOOD), TODAY)
    words, events = io.StringIO(), io.StringIO()
    cis.tell(verdict, PlainProgress(words))
    cis.tell(verdict, JsonProgress(events))
    assert "FAILED  4.1.1   w1: text of 4.1.1\n  seen: permissions=644\n  chmod 600\n" in words.getvalue()
    assert "waived  1.1.12  m: until 2026-11-23, static pod" in words.getvalue()
    last = json.loads(events.getvalue().splitlines()[-1])
    assert (last["event"], last["ok"], [(one["node"], one["check"]) for one in last["failures"]]) == (
        "cis",
        False,
        [("w1", "4.1.1")],
    )
