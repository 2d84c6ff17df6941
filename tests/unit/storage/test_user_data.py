"""User data at their places on a node. With real mounts, a tmpfs for the volume: needs root."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import user_data
from user_data import UserDataError

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: it mounts")

NAMES = ["home", "datasets"]
# What GlusterFS's client does that matters here: it mounts at its last word. The volume is the same each time.
CLIENT = """#!/bin/sh
for place; do :; done
[ ! -e "{folder}/silent" ] || exit 1
[ ! -e "{folder}/nothing" ] || exit 0
echo "$*" > "{folder}/words"
mount --bind "{folder}/volume" "$place"
"""


class Node:
    """A node's places below one folder, and the volume as root of another node has it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tree, self.volume = folder, folder / "tree", folder / "volume"
        self.volume.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "volume", self.volume], check=True)

    def mounts(self) -> list[str]:
        """What is mounted below the tree."""
        return sorted(at[len(f"{self.tree}/") :] for at, _ in user_data.mounted() if at.startswith(f"{self.tree}/"))

    def clean(self) -> None:
        for _ in range(3):
            for at, _kind in reversed(user_data.mounted()):
                if at.startswith(f"{self.folder}/"):
                    subprocess.run(["umount", "--lazy", at], check=False, capture_output=True)


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Node]:
    made = Node(tmp_path)
    client = tmp_path / "client"
    client.write_text(CLIENT.format(folder=tmp_path))
    client.chmod(0o755)
    for name, value in (("CLIENT", client), ("RUN", tmp_path / "run"), ("TREE", made.tree)):
        monkeypatch.setattr(user_data, name, str(value))
    yield made
    made.clean()


def test_directories_of_the_volume_are_at_their_places_and_made_where_they_are_missing(node: Node) -> None:
    (node.volume / "home").mkdir()
    (node.volume / "home" / "seen").write_text("of all nodes")
    user_data.up(NAMES)
    assert node.mounts() == ["datasets", "home"]
    assert (node.tree / "home" / "seen").read_text() == "of all nodes"
    (node.tree / "datasets" / "new").write_text("x")
    assert (node.volume / "datasets" / "new").read_text() == "x"
    # Names are not to be listed by others before the first master says who may.
    assert (node.volume / "datasets").stat().st_mode & 0o777 == 0o711
    assert (node.folder / "run").stat().st_mode & 0o777 == 0o700, "others come to the volume itself"


def test_the_user_data_bring_no_devices_and_nobody_elses_rights_to_a_node(node: Node) -> None:
    user_data.up(NAMES)
    words = (node.folder / "words").read_text().split()
    assert "--fuse-mountopts=nosuid,nodev" in words
    assert words[-1] == user_data.volume()


def test_no_link_at_the_top_of_the_volume_leads_to_files_of_this_node(node: Node) -> None:
    secret = node.folder / "of-this-node"
    secret.mkdir()
    (node.volume / "home").mkdir()
    (node.volume / "datasets").symlink_to(secret)
    with pytest.raises(UserDataError, match="`datasets` at the top of the volume is a symbolic link"):
        user_data.up(NAMES)
    assert node.mounts() == []
    empty(node)
    (node.volume / "datasets").unlink()
    (node.volume / "datasets").write_text("a file")
    with pytest.raises(UserDataError, match="is no directory"):
        user_data.up(NAMES)
    (node.volume / "datasets").unlink()
    user_data.up(NAMES)  # as its service tries
    assert node.mounts() == ["datasets", "home"]


def test_what_is_bound_stays_when_its_name_is_given_to_a_link(node: Node) -> None:
    user_data.up(NAMES)
    (node.tree / "home" / "seen").write_text("x")
    (node.volume / "home").rename(node.volume / "away")
    (node.volume / "home").symlink_to("/etc")
    assert [each.name for each in (node.tree / "home").iterdir()] == ["seen"]


def empty(node: Node) -> None:
    """Nothing is there, and whoever starts a container can make nothing there."""
    assert [*node.tree.iterdir()] == [], "a task is given an empty directory"
    with pytest.raises(OSError, match="Read-only file system"):
        (node.tree / "home" / "ada").mkdir(parents=True)


def test_places_are_not_there_without_user_data_and_never_on_the_disk(node: Node) -> None:
    for _ in range(2):
        user_data.up(NAMES)
        with pytest.raises(OSError, match="Read-only file system"):
            (node.tree / "beside").mkdir()
        user_data.down()
        assert node.mounts() == []
        empty(node)
    places = [source for at, source in user_data.mounted() if at == str(node.tree)]
    assert places == [user_data.NOTHING], "places of user data lie on the disk"
    subprocess.run(["umount", node.tree], check=True)
    assert [*node.tree.iterdir()] == [], "after a power cut, tasks write to the disk of the node"


def test_a_container_that_holds_user_data_keeps_them_and_none_holds_an_empty_place(node: Node) -> None:
    """All places come and go at once: whoever takes one in between has what was bound, or nothing."""
    user_data.up(NAMES)
    (node.tree / "home" / "seen").write_text("x")
    held = os.open(node.tree / "home", os.O_RDONLY)
    try:
        user_data.down()
        assert [each.name for each in Path(f"/proc/self/fd/{held}").iterdir()] == ["seen"]
    finally:
        os.close(held)
    empty(node)


def test_a_place_that_is_not_the_directory_of_the_volume_any_more_is_told(node: Node) -> None:
    user_data.up(NAMES)
    user_data.check(NAMES)
    (node.volume / "home").rename(node.volume / "away")
    (node.volume / "home").mkdir()
    with contextlib.suppress(UserDataError):
        user_data.check(NAMES)
        pytest.fail("an old directory passes for that of the volume")
    user_data.up(NAMES)
    user_data.check(NAMES)
    user_data.down()
    with pytest.raises(UserDataError, match="tree/home: No such file or directory"):
        user_data.check(NAMES)


def test_who_still_has_user_data_keeps_them_while_the_volume_has_none(
    node: Node, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A node that was told to begin anew would lose them."""
    user_data.up(NAMES)
    (node.volume / "home").rename(node.volume / "away")
    (node.volume / "home").symlink_to("/etc")
    monkeypatch.setattr(sys, "argv", ["user_data", "check", *NAMES])
    with pytest.raises(SystemExit) as ended:
        user_data.main()
    assert ended.value.code == 2
    assert "is a symbolic link" in capsys.readouterr().err


def test_it_is_done_again_over_what_a_killed_one_left(node: Node) -> None:
    for _ in range(3):
        user_data.up(NAMES)  # no `down`: the client was killed, and so was what cleans up after it
    assert node.mounts() == ["datasets", "home"]
    places = [at for at, _ in user_data.mounted()]
    assert (places.count(str(node.tree)), places.count(user_data.volume()), places.count(user_data.places())) == (
        2,
        1,
        0,
    )


def test_the_volume_that_an_earlier_version_mounted_there_is_taken_away(node: Node) -> None:
    node.tree.mkdir()
    subprocess.run(["mount", "--bind", node.volume, node.tree], check=True)
    subprocess.run(["mount", "-t", "ramfs", "earlier", node.tree], check=True)
    user_data.up(NAMES)
    assert node.mounts() == ["datasets", "home"]
    assert [source for at, source in user_data.mounted() if at == str(node.tree)] == [user_data.NOTHING, "atoll"]


@pytest.mark.parametrize(("sign", "said"), [("silent", "cannot be mounted"), ("nothing", "has mounted nothing")])
def test_a_client_that_does_not_mount_is_told(node: Node, sign: str, said: str) -> None:
    (node.folder / sign).touch()
    with pytest.raises(UserDataError, match=said):
        user_data.up(NAMES)
    empty(node)
    assert [*(node.folder / "run" / "volume").iterdir()] == [], "directories are made beside the volume"


def test_it_says_what_is_wrong_in_one_line(
    node: Node, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (node.folder / "silent").touch()
    monkeypatch.setattr(sys, "argv", ["user_data", "up", *NAMES])
    with pytest.raises(SystemExit) as ended:
        user_data.main()
    assert ended.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("user data: the volume cannot be mounted")
