"""Files of a phase, and what the probe says of them. Needs nothing."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail

ME = {"owner": str(os.getuid()), "group": str(os.getgid())}


def text(path: Path, content: str, **more: Any) -> dict[str, Any]:
    sha256 = hashlib.sha256(content.encode()).hexdigest()
    return {"dest": str(path), "content": content, "sha256": sha256, **ME, **more}


def test_what_is_missing_is_made_and_then_nothing_changes(run: Any, tmp_path: Path) -> None:
    wanted = {
        "phase": "demo",
        "directories": [{"path": str(tmp_path / "a/b"), "mode": "0750", **ME}],
        "files": [text(tmp_path / "a/c/one.conf", "one\n", mode="0640")],
        "links": [{"path": str(tmp_path / "a/link"), "to": "b"}],
    }
    first = run("atoll_files", **wanted)
    assert first["changed"]
    assert set(first["changed_paths"]) == {str(tmp_path / name) for name in ("a/b", "a/c/one.conf", "a/link")}
    assert (tmp_path / "a/c/one.conf").read_text() == "one\n"
    assert (tmp_path / "a/c/one.conf").stat().st_mode & 0o7777 == 0o640
    assert (tmp_path / "a/link").readlink() == Path("b")
    assert not run("atoll_files", **wanted)["changed"]
    assert run("atoll_probe", objects=False)["drifted"] == {}


def test_a_byte_changed_by_hand_is_seen_and_mended(run: Any, tmp_path: Path) -> None:
    wanted = {"phase": "demo", "files": [text(tmp_path / "one.conf", "one\n")]}
    run("atoll_files", **wanted)
    (tmp_path / "one.conf").write_text("two\n")
    assert run("atoll_probe", objects=False)["drifted"] == {"demo": [f"content of {tmp_path}/one.conf differs"]}
    assert run("atoll_files", **wanted)["changed"]
    assert (tmp_path / "one.conf").read_text() == "one\n"
    assert run("atoll_probe", objects=False)["drifted"] == {}


def test_a_large_file_with_one_flipped_byte_and_its_old_times_is_seen(run: Any, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * (5 << 20))
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    target = tmp_path / "program"
    file = {"dest": str(target), "sha256": sha256, "mode": "0755", **ME}
    run("atoll_files", phase="demo", files=[{**file, "staged": str(source)}])
    times = target.stat()
    with target.open("r+b") as stream:
        stream.seek(1000)
        stream.write(b"y")
    os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert run("atoll_probe", objects=False)["drifted"]["demo"] == [f"content of {target} differs"]
    assert run("atoll_files", phase="demo", files=[file])["needed"] == [sha256]


def test_modes_links_and_missing_files_count_as_differences(run: Any, tmp_path: Path) -> None:
    run(
        "atoll_files",
        phase="demo",
        files=[text(tmp_path / "one", "1"), text(tmp_path / "two", "2")],
        links=[{"path": str(tmp_path / "link"), "to": "one"}],
    )
    (tmp_path / "one").chmod(0o666)
    (tmp_path / "two").unlink()
    (tmp_path / "link").unlink()
    assert run("atoll_probe", objects=False)["drifted"]["demo"] == [
        f"mode of file {tmp_path}/one is 0666, not 0644",
        f"file {tmp_path}/two is gone",
        f"link {tmp_path}/link does not lead to one",
    ]


def test_a_mode_changed_by_hand_is_mended(run: Any, tmp_path: Path) -> None:
    folder, file = tmp_path / "a", tmp_path / "a/one"
    wanted = {
        "phase": "demo",
        "directories": [{"path": str(folder), "mode": "0750", **ME}],
        "files": [text(file, "1", mode="0640")],
    }
    run("atoll_files", **wanted)
    folder.chmod(0o777)
    file.chmod(0o666)
    assert len(run("atoll_probe", objects=False)["drifted"]["demo"]) == 2
    mended = run("atoll_files", **wanted)
    assert mended["changed_paths"] == [str(folder), str(file)], "a drifted mode is left as it is"
    assert [path.stat().st_mode & 0o7777 for path in (folder, file)] == [0o750, 0o640]
    assert run("atoll_probe", objects=False)["drifted"] == {}


def test_a_rehearsal_leaves_all_that_is_there_as_it_is(run: Any, tmp_path: Path) -> None:
    there = tmp_path / "there"
    (there / "old").mkdir(parents=True)
    (there / "old/one").write_text("1")
    (there / "two").write_text("2")
    (there / "link").symlink_to("old")
    there.chmod(0o700)

    def seen() -> dict[str, tuple[int, str]]:
        return {
            str(path): (path.lstat().st_mode, str(path.readlink()) if path.is_symlink() else "")
            for path in (there, *there.rglob("*"))
        }

    before = seen()
    answer = run(
        "atoll_files",
        check=True,
        phase="demo",
        directories=[{"path": str(there), "mode": "0755", **ME}, {"path": str(there / "new"), **ME}],
        links=[{"path": str(there / "link"), "to": "two"}, {"path": str(there / "more"), "to": "two"}],
        absent=[str(there / "old"), str(there / "two")],
    )
    names = ("", "new", "link", "more", "old", "two")
    assert answer["changed_paths"] == [str(there / name) for name in names]
    assert seen() == before, "a rehearsal changed what is there"
    assert not (tmp_path / "state").exists()


def test_a_rehearsal_writes_nothing_and_says_what_it_would(run: Any, tmp_path: Path) -> None:
    answer = run("atoll_files", check=True, phase="demo", files=[text(tmp_path / "one", "1\n")])
    assert answer["changed"]
    assert answer["diff"][0]["after"] == "1\n"
    assert not (tmp_path / "one").exists()
    assert not (tmp_path / "state").exists()


def test_only_contents_that_differ_are_asked_for(run: Any, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"program")
    sha256 = hashlib.sha256(b"program").hexdigest()
    file = {"dest": str(tmp_path / "program"), "sha256": sha256, "mode": "0755", **ME}
    assert run("atoll_files", phase="demo", files=[file])["needed"] == [sha256]
    assert run("atoll_files", phase="demo", files=[{**file, "staged": str(source)}])["changed"]
    again = run("atoll_files", phase="demo", files=[file])
    assert (again["changed"], again["needed"]) == (False, [])


def test_a_file_that_was_damaged_on_its_way_is_not_installed(run: Any, tmp_path: Path) -> None:
    target, source = tmp_path / "program", tmp_path / "source"
    target.write_text("old")
    source.write_bytes(b"damaged")
    file = {"dest": str(target), "sha256": hashlib.sha256(b"program").hexdigest(), "staged": str(source), **ME}
    answer = run("atoll_files", phase="demo", files=[file])
    assert answer["failed"]
    assert "was damaged on its way" in answer["msg"]
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.glob(".atoll-*")] == []


def test_only_our_block_of_a_file_is_ours(run: Any, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 localhost\n")
    run("atoll_files", phase="demo", files=[text(hosts, "10.0.0.1 one\n", block="names")])
    hosts.write_text("# mine\n" + hosts.read_text() + "10.9.9.9 mine\n")
    assert run("atoll_probe", objects=False)["drifted"] == {}
    assert run("atoll_files", phase="demo", files=[text(hosts, "10.0.0.2 two\n", block="names")])["changed"]
    assert hosts.read_text() == (
        "# mine\n127.0.0.1 localhost\n# begin: names (written by Atoll)\n10.0.0.2 two\n# end: names\n10.9.9.9 mine\n"
    )
    hosts.write_text(hosts.read_text().replace("10.0.0.2", "10.0.0.3"))
    assert run("atoll_probe", objects=False)["drifted"]["demo"] == [f"content of {hosts} differs"]


def test_lines_behind_our_block_survive_a_lost_end_of_it(run: Any, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    run("atoll_files", phase="demo", files=[text(hosts, "10.0.0.1 one\n", block="names")])
    torn = hosts.read_text().replace("# end: names\n", "10.9.9.9 mine\n")
    hosts.write_text(torn)
    answer = run("atoll_files", phase="demo", files=[text(hosts, "10.0.0.2 two\n", block="names")])
    assert answer["failed"]
    assert f"{hosts}: the line `# end: names` is gone" in answer["msg"]
    assert "Put the line back" in answer["msg"]
    assert hosts.read_text() == torn
    hosts.write_text(torn.replace("10.9.9.9 mine\n", "# end: names"))  # an editor that writes no last newline
    assert run("atoll_files", phase="demo", files=[text(hosts, "10.0.0.2 two\n", block="names")])["changed"]
    assert hosts.read_text() == "# begin: names (written by Atoll)\n10.0.0.2 two\n# end: names\n"


def test_what_is_removed_leaves_the_book(run: Any, tmp_path: Path) -> None:
    run("atoll_files", phase="demo", files=[text(tmp_path / "a/one", "1")])
    assert run("atoll_files", phase="demo", absent=[str(tmp_path / "a")])["changed_paths"] == [str(tmp_path / "a")]
    assert json.loads((tmp_path / "state/managed/demo.json").read_text()) == {}
    assert run("atoll_probe", objects=False)["drifted"] == {}


def test_what_lies_beside_what_is_removed_stays_in_the_book(run: Any, tmp_path: Path) -> None:
    run("atoll_files", phase="demo", files=[text(tmp_path / "a/one", "1"), text(tmp_path / "ab", "2")])
    run("atoll_files", phase="demo", absent=[str(tmp_path / "a")])
    assert (tmp_path / "ab").read_text() == "2"
    (tmp_path / "ab").write_text("by hand")
    drifted = run("atoll_probe", objects=False)["drifted"]
    assert drifted == {"demo": [f"content of {tmp_path}/ab differs"]}, "a file of a like name was forgotten"


def test_a_file_made_once_keeps_what_others_write(run: Any, tmp_path: Path) -> None:
    wanted = {"phase": "demo", "files": [text(tmp_path / "one", "1", keep=True)]}
    run("atoll_files", **wanted)
    (tmp_path / "one").write_text("theirs")
    assert not run("atoll_files", **wanted)["changed"]
    assert run("atoll_probe", objects=False)["drifted"] == {}


def test_a_secret_is_in_no_diff(run: Any, tmp_path: Path) -> None:
    answer = run("atoll_files", phase="demo", files=[text(tmp_path / "key", "s3cr3t", secret=True)])
    assert "s3cr3t" not in json.dumps(answer["diff"])


def test_two_tasks_of_a_phase_share_its_book(run: Any, tmp_path: Path) -> None:
    run("atoll_files", phase="demo", files=[text(tmp_path / "one", "1")])
    run("atoll_files", phase="demo", files=[text(tmp_path / "two", "2")])
    (tmp_path / "one").unlink()
    (tmp_path / "two").unlink()
    assert len(run("atoll_probe", objects=False)["drifted"]["demo"]) == 2


def test_a_record_keeps_its_time_while_nothing_changes(run: Any, tmp_path: Path) -> None:
    wanted = {"phase": "demo", "input_hash": "a", "version": "1"}
    first = run("atoll_record", **wanted)
    assert first["changed"]
    assert run("atoll_record", **wanted) == {**first, "changed": False}
    assert run("atoll_record", **{**wanted, "input_hash": "b"})["changed"]
    assert run("atoll_probe", objects=False)["records"]["demo"]["input_hash"] == "b"
    assert run("atoll_record", phase="demo", state="absent")["changed"]
    assert run("atoll_probe", objects=False)["records"] == {}


@pytest.mark.parametrize("dry", [True, False])
def test_a_rehearsal_goes_on_where_an_earlier_task_would_have_made_the_file(
    dry: bool, plugin: Any, tmp_path: Path
) -> None:
    module = plugin("action", "atoll_files")
    action = SimpleNamespace(_task=SimpleNamespace(check_mode=dry), _source=Path)
    file = {"dest": "/etc/ours.crt", "src": str(tmp_path / "not-made-yet.crt")}
    if dry:
        assert module.ActionModule._prepared(action, file, {}, {}) == {"dest": "/etc/ours.crt", "sha256": "unknown"}
    else:
        with pytest.raises(AnsibleActionFail, match="An earlier phase makes it"):
            module.ActionModule._prepared(action, file, {}, {})


def test_a_link_where_others_may_write_is_refused_and_what_it_leads_to_stays_as_it_is(run: Any, tmp_path: Path) -> None:
    """Root of any node puts one into the user data: by it, `apply` gave away any directory of the first master."""
    victim = tmp_path / "victim"
    victim.mkdir(mode=0o700)
    (tmp_path / "home").symlink_to(victim)
    wanted = {"path": str(tmp_path / "home"), "mode": "0755", **ME}
    answer = run("atoll_files", phase="demo", directories=[{**wanted, "shared": True}])
    assert answer["failed"]
    assert "is a link where others may write" in answer["msg"]
    assert victim.stat().st_mode & 0o777 == 0o700
    (tmp_path / "home").unlink()
    assert run("atoll_files", phase="demo", directories=[{**wanted, "shared": True}])["changed"]
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o755
    assert not run("atoll_files", phase="demo", directories=[{**wanted, "shared": True}])["changed"]
