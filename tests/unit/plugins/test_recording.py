"""The last task of a phase puts it on record, when its work is done and not before. Needs nothing."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail

from installer.cluster import reference
from installer.planning import Digests, Observations, plan
from installer.running.observe import understood
from tests.unit.plugins.conftest import PLUGINS

ABOUT = {"phase": "demo", "scope": "node", "input_hash": "a", "version": "1"}


def records(run: Any) -> dict[str, Any]:
    found: dict[str, Any] = run("atoll_probe", objects=False)["records"]
    return found


def files(path: Path, content: str | None, **more: Any) -> dict[str, Any]:
    sha256 = hashlib.sha256((content or "large").encode()).hexdigest()
    return {"phase": "demo", "files": [{"dest": str(path), "sha256": sha256, "content": content, **more}]}


def test_a_phase_is_on_record_when_its_last_task_has_done_its_work(run: Any, tmp_path: Path) -> None:
    wanted = files(tmp_path / "one", "1")
    first = run("atoll_files", **wanted, record=ABOUT)
    assert (first["changed"], records(run)["demo"]["input_hash"]) == (True, "a")
    assert not run("atoll_files", **wanted, record=ABOUT)["changed"]
    # That the phase is on record with other inputs is a change, though no file is another.
    again = run("atoll_files", **wanted, record={**ABOUT, "input_hash": "b"})
    assert (again["changed"], again["changed_paths"], records(run)["demo"]["input_hash"]) == (True, [], "b")


def test_a_task_that_fails_or_only_asks_or_rehearses_puts_nothing_on_record(run: Any, tmp_path: Path) -> None:
    asked = run("atoll_files", **files(tmp_path / "two", None), record=ABOUT)
    assert (len(asked["needed"]), records(run)) == (1, {})
    assert run("atoll_files", check=True, **files(tmp_path / "two", "2"), record=ABOUT)["changed"]
    assert records(run) == {}
    (tmp_path / "file").write_text("not a folder")
    failed = run("atoll_files", **files(tmp_path / "file" / "three", "3"), record=ABOUT)
    assert (failed["failed"], records(run)) == (True, {})
    broken = run("atoll_verify", phase="demo", ports={"1": "nobody"}, timeout_s=0, record=ABOUT)
    assert (broken["failed"], records(run)) == (True, {})


def test_a_task_without_the_argument_puts_nothing_on_record(run: Any, tmp_path: Path) -> None:
    run("atoll_files", **files(tmp_path / "one", "1"))
    assert records(run) == {}


def planned(run: Any) -> list[tuple[str, str]]:
    """What is to be done for phase `host` on a master, by what the probe finds there."""
    result = run("atoll_probe", objects=False)
    seen = understood(reference(), {"master1": {"event": "runner_on_ok", "event_data": {"res": result}}})
    steps = plan(reference(), None, seen, Digests()).of("host")
    return [(step.reason, step.detail) for step in steps if step.node == "master1"]


def of_host() -> dict[str, Any]:
    """The record of phase `host` on a master, as cluster and tree are now."""
    steps = plan(reference(), None, Observations(), Digests()).of("host")
    (now,) = (step.input_hash for step in steps if step.node == "master1")
    return {"phase": "host", "scope": "node", "input_hash": now, "version": "1"}


def test_what_failed_with_another_tree_is_planned_when_the_tree_is_back(run: Any, tmp_path: Path) -> None:
    """The book has the digests of the other tree, the record suits this one: neither tells that it is not here."""
    ours = {**files(tmp_path / "one", "ours"), "phase": "host"}
    run("atoll_files", **ours, record=of_host())
    assert planned(run) == []
    run("atoll_files", **{**files(tmp_path / "one", "theirs"), "phase": "host"})
    assert planned(run) == [("failed before", "it began again and never ended")]
    assert run("atoll_files", **ours, record=of_host())["changed"]
    assert planned(run) == []


class Killed(BaseException):
    """A process ends here and does nothing more."""


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_kill_at_any_write_with_another_tree_leaves_something_to_plan(
    place: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = tmp_path / "one"
    ours, theirs = ({**files(one, whose), "phase": "host"} for whose in ("ours", "theirs"))
    real, outcomes = os.replace, []
    for last in range(1, 4):  # the mark, the file, the book
        run("atoll_files", **ours, record=of_host())
        writes = iter(range(1, last + 1))

        def replace(source: str, target: str, writes: Iterator[int] = writes, last: int = last) -> None:
            number = next(writes)
            if place == "after" or number < last:
                real(source, target)
            if number == last:
                raise Killed

        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(Killed):
            run("atoll_files", **theirs)
        monkeypatch.setattr(os, "replace", real)
        outcomes.append((one.read_text(), bool(planned(run))))
        assert one.read_text() == "ours" or planned(run)
    assert outcomes[-1] == ("theirs", True)


def test_a_phase_that_is_run_again_as_it_was_ends_without_a_change(run: Any, tmp_path: Path) -> None:
    """Also where it is done in two tasks, of which the first marks its record."""
    wanted, last = files(tmp_path / "one", "1"), files(tmp_path / "two", "2")
    run("atoll_files", **wanted)
    run("atoll_files", **last, record=ABOUT)
    first = records(run)["demo"]
    assert not run("atoll_files", **wanted)["changed"]
    assert records(run)["demo"] == {**first, "begun": True}
    assert not run("atoll_files", **last, record=ABOUT)["changed"]
    assert records(run)["demo"] == first


def test_what_is_only_rehearsed_or_asked_marks_no_record(run: Any, tmp_path: Path) -> None:
    run("atoll_files", **files(tmp_path / "one", "1"), record=ABOUT)
    run("atoll_files", check=True, **files(tmp_path / "one", "2"))
    run("atoll_verify", phase="demo", ports={"1": "nobody"}, timeout_s=0)
    run("atoll_record", check=True, phase="demo", state="begun")
    assert "begun" not in records(run)["demo"]


KUBECTL = """
import json, pathlib, sys
kept = pathlib.Path({folder!r}) / "cluster.json"
data = json.loads(kept.read_text()) if kept.exists() else {{}}
words = sys.argv[3:]
if "patch" in words:
    kept.write_text(json.dumps({{**data, **json.loads(words[-1])["data"]}}))
elif words[0] in ("get", "apply"):
    items = json.load(sys.stdin)["items"]
    for item in items:
        if item["metadata"]["name"] == "records":
            item["data"] = data
    print(json.dumps({{"kind": "List", "items": items}}))
elif words[0] == "rollout":
    sys.exit(1)
"""


def test_the_copy_that_the_cluster_keeps_is_marked_too_where_the_master_has_none(
    run: Any, programs: Any, module_utility: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another master may work on a phase of the cluster than the one that finds its record later."""
    (tmp_path / "kubectl.py").write_text(KUBECTL.format(folder=str(tmp_path)))
    programs("kubectl", f'exec {sys.executable} {tmp_path / "kubectl.py"} "$@"')
    (tmp_path / "admin.conf").write_text("")
    monkeypatch.setattr(module_utility("atoll_cluster"), "KUBECONFIG", str(tmp_path / "admin.conf"))
    item = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "one", "namespace": "a"}}
    about = {**ABOUT, "scope": "cluster"}

    def kept() -> Any:
        return json.loads(json.loads((tmp_path / "cluster.json").read_text())["demo"])

    run("atoll_objects", phase="demo", objects=[item], record=about)
    assert kept() == records(run)["demo"]
    elsewhere = str(tmp_path / "elsewhere")
    assert "failed" not in run("atoll_objects", phase="demo", objects=[item], state_directory=elsewhere)
    assert kept()["begun"]
    # Its end there is the end of the mark.
    run("atoll_objects", phase="demo", objects=[item], record=about, state_directory=elsewhere)
    assert "begun" not in kept()


def test_every_module_that_works_on_a_phase_marks_its_record_first(plugin: Any) -> None:
    """Two do not: what only asks, and the record itself."""
    texts = {file.stem: file.read_text("utf-8") for file in (PLUGINS / "modules").glob("atoll_*.py")}
    on_phases = {name for name, text in texts.items() if '"phase": {"type": "str"' in text}
    marking = {name for name, text in texts.items() if "guarded(begun(" in text}
    assert on_phases - marking == {"atoll_verify", "atoll_record"}
    assert len(marking) >= 8
    assert marking <= on_phases


SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: a}\ndata: {password: czNjcjN0LXdvcmQ=}\n"


def acted(plugin: Any, answer: dict[str, Any], **args: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run the action of atoll_objects with a module that answers so; return its result and what the module got."""
    seen: dict[str, Any] = {}

    def execute(module_args: dict[str, Any], **_: Any) -> dict[str, Any]:
        seen.update(module_args)
        return {**answer, "invocation": {"module_args": module_args}}

    module = plugin("action", "atoll_objects")

    class Action(module.ActionModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self._task = SimpleNamespace(
                args=args, check_mode=False, diff=False, action="atoll_objects", async_val=0, no_log=False
            )
            self._execute_module = execute
            self._connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir=None))
            self._supports_async = False
            self._early_needs_tmp_path = lambda: False
            self._used_interpreter = None

    return Action().run(None, {"phase": "demo"}), seen


def test_secrets_are_applied_first_and_nothing_of_them_is_told(plugin: Any) -> None:
    said = {
        "msg": "kubectl said: czNjcjN0LXdvcmQ= is s3cr3t-word",
        "diff": [{"after": ["s3cr3t-word"]}],
        "failed": True,
    }
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: a}\n"
    result, got = acted(plugin, said, secrets=[SECRET], manifests=[other])
    assert [item["kind"] for item in got["objects"]] == ["Secret", "ConfigMap"]
    assert got["objects"][0]["data"] == {"password": "czNjcjN0LXdvcmQ="}
    assert result["msg"] == "kubectl said: *** is ***"
    assert "czNjcjN0" not in json.dumps(result)
    assert "s3cr3t" not in json.dumps(result)


def test_only_secrets_and_their_name_spaces_are_given_as_secrets(plugin: Any) -> None:
    with pytest.raises(AnsibleActionFail, match="ConfigMap c is no Secret"):
        acted(plugin, {}, secrets=["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"])


def test_an_object_that_moved_to_another_part_of_its_phase_is_kept_once(
    run: Any, programs: Any, tmp_path: Path
) -> None:
    """Else the part that it left keeps an old digest of it, which is a difference for ever."""
    item = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "one", "namespace": "a"}}
    (tmp_path / "there").write_text(json.dumps({"kind": "List", "items": [item]}))
    programs("kubectl", f'case "$3" in\nget|apply) cat {tmp_path / "there"} ;;\nesac\n')
    run("atoll_objects", phase="demo", part="earlier", objects=[item])
    run("atoll_objects", phase="demo", objects=[item])
    book = json.loads((tmp_path / "state" / "managed" / "demo.json").read_text())
    assert list(book["objects"]) == ["main"]
