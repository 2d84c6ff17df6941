"""A program whose source is changed is built from a copy, and an edit that no longer fits is told."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from installer.bundle.edits import edited, edits_file
from installer.bundle.errors import BundleError
from installer.bundle.lock import load_lock
from installer.cluster import TREE

MAIN = "package main\n\nfunc main() { open() }\n"


def made(folder: Path, find: str) -> tuple[Path, Path, Path]:
    family, source = folder / "family", folder / "source"
    family.mkdir()
    (family / "go.mod").write_text("module ours\n")
    (source / "cmd").mkdir(parents=True)
    (source / "cmd" / "main.go").write_text(MAIN)
    (source / "cmd" / "main.go").chmod(0o444)
    (source / "cmd").chmod(0o555)
    edits = folder / "edits.yaml"
    edits.write_text(yaml.safe_dump([{"why": "it is open", "file": "cmd/main.go", "find": find, "put": "shut()"}]))
    return family, source, edits


def test_the_copy_stands_in_for_the_module_and_the_source_stays_as_it_is(tmp_path: Path) -> None:
    family, source, edits = made(tmp_path, "open()")
    with edited(family, "example.org/theirs", source, edits) as copy:
        assert (copy / "go.mod").read_text().endswith("replace example.org/theirs => ./edited\n")
        assert "{ shut() }" in (copy / "edited" / "cmd" / "main.go").read_text()
    assert not copy.exists()
    assert (source / "cmd" / "main.go").read_text() == MAIN
    assert (family / "go.mod").read_text() == "module ours\n"


@pytest.mark.parametrize(("find", "times"), [("close()", 0), ("main", 2)])
def test_an_edit_that_does_not_fit_once_ends_the_build(tmp_path: Path, find: str, times: int) -> None:
    family, source, edits = made(tmp_path, find)
    with (
        pytest.raises(BundleError, match=rf"cmd/main.go \(it is open\) fits {times} times"),
        edited(family, "example.org/theirs", source, edits),
    ):
        pytest.fail("it was built")


def test_edits_belong_to_programs_of_the_bundle_and_say_why() -> None:
    files = sorted((TREE / "platform/packaging").glob("*/edits.yaml"))
    assert files
    for file in files:
        assert file.parent.name in load_lock(TREE).programs
        assert edits_file(TREE, file.parent.name) == file
        for one in yaml.safe_load(file.read_text("utf-8")):
            assert set(one) == {"why", "file", "find", "put"}
            assert one["find"] != one["put"]
