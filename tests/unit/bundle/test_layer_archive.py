import io
import os
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

from installer.bundle.errors import BundleError
from installer.bundle.layer_archive import LAYER, pack, unpack

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="makes device nodes and mounts")


def tree(root: Path) -> Path:
    (root / "b").mkdir(parents=True)
    (root / "b" / "file").write_text("content")
    (root / "a").write_text("x")
    (root / "a").chmod(0o755)
    (root / "link").symlink_to("b/file")
    os.link(root / "a", root / "z")
    return root


def names(layer: Path) -> list[tarfile.TarInfo]:
    plain = subprocess.run(["zstd", "-dc", layer], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(plain)) as archive:
        return archive.getmembers()


def test_the_same_tree_packs_to_the_same_bytes_whenever_and_wherever_it_was_made(tmp_path: Path) -> None:
    first, second = tree(tmp_path / "one"), tree(tmp_path / "two" / "deeper")
    os.utime(second / "a", (1, 1))
    for folder in ("out1", "out2"):
        (tmp_path / folder).mkdir()
    one, two = pack(first, tmp_path / "out1"), pack(second, tmp_path / "out2")
    assert one == two
    assert (tmp_path / "out1" / LAYER).read_bytes() == (tmp_path / "out2" / LAYER).read_bytes()


def test_a_layer_names_no_builder_and_no_time_and_keeps_hard_links(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    pack(tree(tmp_path / "root"), tmp_path / "out", owner=(0, 0))
    members = names(tmp_path / "out" / LAYER)
    assert [m.name for m in members] == ["a", "b", "link", "z", "b/file"]
    assert {(m.mtime, m.uname, m.uid) for m in members} == {(0, "", 0)}
    assert next(m for m in members if m.name == "z").linkname == "a"


@ROOT
def test_what_a_layer_removed_is_a_whiteout_and_comes_back_as_one(tmp_path: Path) -> None:
    upper = tree(tmp_path / "upper")
    os.mknod(upper / "gone", stat.S_IFCHR, 0)
    (tmp_path / "out").mkdir()
    pack(upper, tmp_path / "out")
    assert ".wh.gone" in [m.name for m in names(tmp_path / "out" / LAYER)]
    unpack(tmp_path / "out" / LAYER, tmp_path / "lower", lambda _line: None)
    again = (tmp_path / "lower" / "gone").stat()
    assert stat.S_ISCHR(again.st_mode)
    assert again.st_rdev == 0


def test_a_pipe_does_not_go_into_a_layer_unnoticed(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    os.mkfifo(tmp_path / "root" / "pipe")
    with pytest.raises(BundleError, match="pipe"):
        pack(tmp_path / "root", tmp_path)
