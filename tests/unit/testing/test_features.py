import hashlib
import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from installer import packages
from installer.testing import commands, features, playwright
from installer.testing.playwright import results
from installer.testing.results import On, Outcome, Proof, Report, Result, counted, read_all, write
from installer.testing.suites import SUITES, chosen

# Of the list of features owed (../shared/features.tsv): id, group and text of each of its rows.
OWED = "1f88f64ab052057ce9041b077ea428897bb869c1421b8ed75db1e7fb75ec4564"
# The rows for which design.md, section 8, has a ruling; that of 67 stands in issue 10, 3.
RULED = {"22", "24", "25", "39", "67", "97", "99", "104", "118", "196", "197", "227", "283"}
WITH_CLAUSES = sorted(features.split(features.owed()), key=int)
HEAD = "0123456789abcdef"


def report(
    outcome: Outcome, feature: str = "94", on: On = "real", *, commit: str = HEAD, retried: bool = False
) -> Report:
    result = Result(name="t", outcome=outcome, proofs=[Proof(feature=feature, on=on)], retried=retried)
    return Report(suite="unit", commit=commit, at="2026-11-21T10:00:00+00:00", results=[result])


def status(feature: str, *reports: Report, replaced: frozenset[str] = frozenset()) -> str:
    rows = features.table([*reports], features.owed(), replaced)
    (found,) = [row["status"] for row in rows if row["id"] == feature]
    return str(found)


def test_the_list_is_the_one_that_is_owed() -> None:
    whole = [feature for feature in features.owed() if feature.id == feature.row]
    assert [feature.id for feature in whole] == [str(number) for number in range(1, 308)]
    lines = (f"{feature.id}\t{feature.group}\t{feature.text}" for feature in whole)
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == OWED


@pytest.mark.parametrize("row", WITH_CLAUSES)
def test_clauses_are_parts_of_their_row_and_leave_nothing_of_it_out(row: str) -> None:
    (whole,) = [feature for feature in features.owed() if feature.id == row]
    clauses = [feature for feature in features.owed() if feature.row == row != feature.id]
    assert [clause.id for clause in clauses] == [row + letter for letter in "abcdefgh"[: len(clauses)]]
    assert len(clauses) > 1
    for clause in clauses:
        assert clause.group == whole.group
        # `…` stands for what is left out.
        parts = ".*".join(re.escape(part) for part in clause.text.split(" … "))
        assert re.search(parts, whole.text), f"{clause.id} says what feature {row} does not say: {clause.text}"
    said = {word for clause in clauses for word in re.findall(r"\w+", clause.text)}
    assert set(re.findall(r"\w+", whole.text)) - said <= {"and", "or"}


def test_a_feature_with_a_failed_test_is_failing_even_when_another_test_passed() -> None:
    assert status("94", report("passed"), report("failed")) == "failing"
    assert status("30", report("passed", "30a"), report("passed", "30b"), report("failed", "30b")) == "failing"


def test_a_skipped_or_retried_test_proves_nothing() -> None:
    assert status("94", report("skipped")) == "owed"
    assert status("94", report("passed", retried=True)) == "owed"
    assert status("94", report("failed", retried=True)) == "failing"


def test_a_feature_is_as_good_as_its_best_test_and_one_with_clauses_as_its_worst_clause() -> None:
    kinds: tuple[On, ...] = ("local", "protocol", "simulated", "real")
    for number, kind in enumerate(kinds):
        assert status("94", *(report("passed", on=each) for each in kinds[: number + 1])) == kind
    assert status("30", report("passed", "30a")) == "owed"
    assert status("30", report("passed", "30a"), report("passed", "30b", "simulated")) == "simulated"
    assert status("30", report("passed", "30a"), report("passed", "30b")) == "real"
    assert status("30a", report("passed", "30a")) == "real"


def test_a_replaced_feature_counts_only_with_a_test_of_what_replaces_it() -> None:
    replaced = features.superseded()
    assert "99" in replaced
    assert status("99", report("passed", "99", "local"), replaced=replaced) == "superseded"
    assert status("104", report("passed", "99"), replaced=replaced) == "owed"
    assert status("24a", report("passed", "24a"), replaced=replaced) == "superseded"
    assert status("24", report("passed", "24a"), replaced=replaced) == "owed"


def test_only_what_the_design_has_a_ruling_for_is_replaced() -> None:
    assert features.superseded() - RULED == set()


def test_the_summary_adds_up() -> None:
    reports = [report("passed"), report("passed", "30a"), report("passed", "38", "local")]
    lines = features.summary(features.table(reports, features.owed(), frozenset())).splitlines()
    assert lines[0].split()[1:] == ["features", *features.STATUSES]
    assert dict(zip(lines[0].split()[1:], lines[-1].split()[1:], strict=True)) == {
        "features": "307", "real": "1", "simulated": "0", "protocol": "0", "local": "1", "superseded": "0",
        "owed": "305", "failing": "0",
    }  # fmt: skip


def test_reports_are_read_as_they_were_written(tmp_path: Path) -> None:
    write(tmp_path / "unit.json", report("passed", "30a").results, HEAD)
    (stored,) = read_all(tmp_path)
    assert (stored.suite, stored.results[0].proofs[0].feature) == ("unit", "30a")


def test_of_a_tree_that_changed_while_it_was_tested_nobody_knows_what_was_tested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for begun, ended, told in ((HEAD, HEAD, HEAD), ("f" * 40, HEAD, "f" * 40 + "+"), (HEAD + "+", HEAD, HEAD + "+")):
        monkeypatch.setattr("installer.testing.results.commit", lambda ended=ended: ended)
        write(tmp_path / "unit.json", [], begun)
        assert read_all(tmp_path)[0].commit == told


def test_only_results_of_this_commit_count_and_the_others_are_named(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text('{"suite": "old", "results": [{"name": 3', "utf-8")
    (unreadable,) = read_all(tmp_path)
    mine, other, changed = (report("passed", commit=commit) for commit in (HEAD, "f" * 16, HEAD + "+"))
    found, refused = counted([mine, other, changed, unreadable], HEAD)
    assert found == [mine]
    assert [line.partition(" does not count: ")[2] for line in refused] == [
        "run 2026-11-21T10:00:00+00:00 at commit ffffffffffff",
        "run 2026-11-21T10:00:00+00:00 on a tree that is no commit",
        "its results cannot be read",
    ]
    assert refused[2].startswith("suite old ")


@pytest.mark.parametrize(
    ("head", "why"), [(HEAD + "+", "this tree differs from its commit"), ("unknown", "no git tells")]
)
def test_on_a_tree_that_is_no_commit_nothing_counts(head: str, why: str) -> None:
    reports = [report("passed", commit=commit) for commit in (HEAD, HEAD + "+", "unknown")]
    found, refused = counted(reports, head)
    assert found == []
    assert why in refused[0]


def test_a_test_that_proves_nothing_is_named() -> None:
    _, refused = counted([report("skipped"), report("passed", retried=True), report("passed")], HEAD)
    assert refused == ["t proves nothing: skipped", "t proves nothing: retried"]


@pytest.mark.parametrize("arguments", [[], ["-o", "json"]])
def test_the_command_counts_this_commit_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str]
) -> None:
    for suite, commit in (("unit", HEAD), ("system", "f" * 16)):
        stored = report("passed", "38" if suite == "unit" else "45", commit=commit).model_copy(update={"suite": suite})
        (tmp_path / f"{suite}.json").write_text(stored.model_dump_json(), "utf-8")
    monkeypatch.setattr(commands, "read_all", lambda: read_all(tmp_path))
    monkeypatch.setattr(commands, "commit", lambda: HEAD)
    said = CliRunner().invoke(commands.features, arguments, catch_exceptions=False).output
    assert "suite system does not count" in said
    if arguments:
        statuses = {row["id"]: row["status"] for row in json.loads(said)["features"]}
    else:
        statuses = {line.split()[0]: line.split()[1] for line in said.splitlines() if line.strip()[:1].isdigit()}
    assert (statuses["38"], statuses["45"]) == ("real", "owed")


def test_an_unknown_suite_is_refused_and_the_sets_are_nested() -> None:
    with pytest.raises(KeyError, match="nonsense"):
        chosen(("nonsense",), "ci")
    assert set(chosen((), "fast")) < set(chosen((), "ci")) < set(chosen((), "all")) == set(SUITES)


def test_playwright_tags_become_proofs_and_a_failed_retry_is_a_failure() -> None:
    spec = {
        "title": "signs in",
        "ok": False,
        "tags": ["@feature-38", "simulated", "@feature-30a"],
        "tests": [{"results": [{"status": "failed", "duration": 1500}]}],
    }
    (found,) = results({"suites": [{"title": "a.spec.ts", "specs": [spec]}]})
    assert (found.name, found.outcome, found.seconds) == ("a.spec.ts > signs in", "failed", 1.5)
    assert found.proofs == [Proof(feature="30a", on="simulated"), Proof(feature="38", on="simulated")]
    assert not found.retried


def test_a_browsers_test_that_passed_when_it_was_tried_again_is_told_as_retried() -> None:
    runs = [{"status": "failed", "duration": 5, "errors": []}, {"status": "passed", "duration": 5, "errors": []}]
    spec = {"title": "signs in", "ok": True, "tags": ["@feature-38"], "tests": [{"results": runs}]}
    (found,) = results({"suites": [{"title": "a.spec.ts", "specs": [spec]}]})
    assert (found.outcome, found.retried) == ("passed", True)


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
