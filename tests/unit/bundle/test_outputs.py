import threading
from pathlib import Path

import pytest

from installer.bundle.outputs import Outputs, fingerprint, tree_digests


def make(store: Outputs, key: str, text: str = "x") -> None:
    with store.making("program/x", key) as (into, facts):
        (into / "file").write_text(text)
        facts["size"] = 1


def test_an_output_is_found_by_its_inputs_only(tmp_path: Path) -> None:
    store = Outputs(tmp_path)
    make(store, "k1")
    found = store.find("program/x", "k1")
    assert found is not None
    assert found.path("file").read_text() == "x"
    assert found.facts == {"size": 1}
    assert found.files["file"]["bytes"] == 1
    assert store.find("program/x", "k2") is None


def test_a_failed_build_leaves_nothing_that_looks_complete(tmp_path: Path) -> None:
    store = Outputs(tmp_path)

    def fail() -> None:
        with store.making("program/x", "k1") as (into, _facts):
            (into / "file").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert store.find("program/x", "k1") is None
    assert list((tmp_path / "outputs" / "program--x").iterdir()) == []


def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "outputs" / "program--x" / ".making-left"
    left.mkdir(parents=True)
    make(Outputs(tmp_path), "k1")
    assert not left.exists()


def test_only_the_newest_outputs_of_a_name_are_kept(tmp_path: Path) -> None:
    store = Outputs(tmp_path)
    for key in ("k1", "k2", "k3"):
        make(store, key)
    assert store.find("program/x", "k3")
    assert len(list((tmp_path / "outputs" / "program--x").iterdir())) == 2


def test_a_fingerprint_does_not_depend_on_order_but_on_every_value() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})


def test_a_changed_mode_or_link_is_a_changed_input(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    (tmp_path / "l").symlink_to("f")
    before = tree_digests(tmp_path)
    (tmp_path / "f").chmod(0o755)
    assert tree_digests(tmp_path)["f"] != before["f"]
    (tmp_path / "l").unlink()
    (tmp_path / "l").symlink_to("g")
    assert tree_digests(tmp_path)["l"] != before["l"]


def test_two_that_need_the_same_output_make_it_once(tmp_path: Path) -> None:
    order: list[str] = []

    def other() -> None:
        store = Outputs(tmp_path)
        with store.alone("portal"):
            order.append("there already" if store.find("portal", "k1") else "made again")

    store = Outputs(tmp_path)
    with store.alone("portal"):
        beside = threading.Thread(target=other)
        beside.start()
        beside.join(0.3)
        with store.making("portal", "k1") as (into, _facts):
            (into / "file").write_text("x")
    beside.join(10)
    assert order == ["there already"]
