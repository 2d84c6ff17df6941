"""The last task of a phase puts it on record, when its work is done and not before. Needs nothing."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail

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
