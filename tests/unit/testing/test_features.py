import os
from pathlib import Path

import pytest

from installer import packages
from installer.testing import features, playwright
from installer.testing.playwright import results
from installer.testing.results import On, Outcome, Proof, Report, Result, read_all, write
from installer.testing.suites import SUITES, chosen


def report(outcome: Outcome, feature: int = 94, on: On = "real") -> Report:
    result = Result(name="t", outcome=outcome, proofs=[Proof(feature=feature, on=on)])
    return Report(suite="unit", commit="c", at="2026-11-21T10:00:00+00:00", results=[result])


def test_the_list_holds_the_307_features_in_order() -> None:
    assert [feature.id for feature in features.owed()] == list(range(1, 308))


def test_a_feature_with_a_failed_test_is_failing_even_when_another_test_passed() -> None:
    rows = features.table([report("passed"), report("failed")], features.owed(), frozenset())
    assert rows[93]["status"] == "failing"
    assert len(rows[93]["tests"]) == 2


def test_a_skipped_test_proves_nothing() -> None:
    assert features.table([report("skipped")], features.owed(), frozenset())[93]["status"] == "owed"


def test_a_replaced_feature_counts_only_with_a_test_of_what_replaces_it() -> None:
    replaced = features.superseded()
    assert 99 in replaced
    rows = features.table([report("passed", 99)], features.owed(), replaced)
    assert rows[98]["status"] == "superseded"
    assert rows[103]["status"] == "owed"


def test_the_summary_adds_up() -> None:
    last = features.summary(features.table([report("passed")], features.owed(), frozenset())).splitlines()[-1]
    assert last.split() == ["all", "307", "1", "0", "0", "306"]


def test_reports_are_read_as_they_were_written(tmp_path: Path) -> None:
    write(tmp_path / "unit.json", report("passed").results)
    (stored,) = read_all(tmp_path)
    assert (stored.suite, stored.results[0].proofs[0].feature) == ("unit", 94)


def test_an_unknown_suite_is_refused_and_the_sets_are_nested() -> None:
    with pytest.raises(KeyError, match="nonsense"):
        chosen(("nonsense",), "ci")
    assert set(chosen((), "fast")) < set(chosen((), "ci")) < set(chosen((), "all")) == set(SUITES)


def test_playwright_tags_become_proofs_and_a_failed_retry_is_a_failure() -> None:
    spec = {
        "title": "signs in",
        "ok": False,
        "tags": ["@feature-38", "simulated"],
        "tests": [{"results": [{"status": "failed", "duration": 1500}]}],
    }
    (found,) = results({"suites": [{"title": "a.spec.ts", "specs": [spec]}]})
    assert (found.name, found.outcome, found.seconds) == ("a.spec.ts > signs in", "failed", 1.5)
    assert found.proofs == [Proof(feature=38, on="simulated")]


def test_a_browser_that_is_there_does_where_the_small_one_cannot_be_had(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []

    def refused(part: str, _say: object) -> list[str]:
        asked.append(part)
        raise packages.PackageError("missing Debian packages: chromium-headless-shell", "install them")

    monkeypatch.setattr(packages, "install", refused)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.delenv("ATOLL_CHROMIUM", raising=False)
    there = tmp_path / "chromium"
    monkeypatch.setattr(playwright, "BROWSERS", (str(tmp_path / "shell"), str(there)))
    with pytest.raises(packages.PackageError, match="chromium-headless-shell"):
        playwright.provide_browser()
    there.touch()
    playwright.provide_browser()
    assert asked == ["browser", "browser"]
