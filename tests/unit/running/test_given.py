"""The user's own files, kept for machines that do not have their paths: the masters, a second control host."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from installer.cluster import Cluster, loads, state_directory
from installer.cluster.given import kept, kept_names
from installer.planning import collect
from installer.planning.inventory import inventory, ssh_arguments
from installer.running.given import drop_given, keep_given
from installer.running.handing_over import hand_to
from installer.running.status import portal_of
from installer.services.access import Access
from installer.ssh.nodes import NodeUnreachable, SshNode

NAMES = ("id", "portal.crt", "portal.key", "smtp")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The user's files on the control host."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_text(f"content of {name}")
    return folder


@pytest.fixture
def cluster(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    return loads(
        f"name: real\nssh: {{user: ops, key_file: {home}/id, jump: gate}}\nstorage: {{driver: local}}\n"
        f"platform: {{certificate_file: {home}/portal.crt, key_file: {home}/portal.key}}\n"
        f"smtp: {{host: mail, sender: a@b.example, user: u, password_file: {home}/smtp}}\n"
        "nodes: [{name: m1, address: 192.0.2.11, roles: [master, worker]}]\n",
        installed=False,
    )


def test_where_the_users_files_are_they_are_used_themselves(cluster: Cluster, home: Path) -> None:
    keep_given(cluster)
    assert Access(cluster).node("m1").key_file == home / "id"
    (home / "id").unlink()
    assert Access(cluster).node("m1").key_file.parent == state_directory(cluster) / "given"


def test_a_machine_without_the_users_paths_uses_the_copies(cluster: Cluster, home: Path, tmp_path: Path) -> None:
    files = collect(cluster, tmp_path).files
    keep_given(cluster)
    for name in NAMES:
        (home / name).unlink()
    made = inventory(cluster, collect(cluster, tmp_path), tmp_path)
    places = {
        "id": made.hosts["m1"]["ansible_ssh_private_key_file"],
        "portal.crt": made.variables["platform_certificate_file"],
        "portal.key": made.variables["platform_key_file"],
        "smtp": made.variables["smtp_password_file"],
    }
    for name, place in places.items():
        assert Path(place).read_text() == f"content of {name}"
        assert Path(place).stat().st_mode & 0o777 == 0o600
    assert collect(cluster, tmp_path).files == files, "the same inputs wherever they are read"
    assert portal_of(cluster).ca_file == Path(places["portal.crt"])
    (way,) = (word for word in shlex.split(ssh_arguments(cluster, cluster.nodes[0])) if "ProxyCommand" in word)
    assert f"-i {places['id']}" in way


def test_a_copy_follows_its_file_and_outlives_it(cluster: Cluster, home: Path) -> None:
    keep_given(cluster)
    (home / "id").write_text("another key")
    keep_given(cluster)
    (home / "id").unlink()
    keep_given(cluster)
    assert Access(cluster).node("m1").key_file.read_text() == "another key"


def test_without_a_copy_the_message_is_about_the_path_that_was_written(cluster: Cluster, home: Path) -> None:
    (home / "id").unlink()
    assert Access(cluster).node("m1").key_file == home / "id"


def test_the_copies_are_handed_to_the_masters(
    cluster: Cluster, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("installer.running.accepted.ON_MASTERS", tmp_path / "masters")
    monkeypatch.setattr(SshNode, "arguments", lambda _, command: list(command))
    keep_given(cluster)
    hand_to([Access(cluster).node("m1")], "real", state_directory(cluster))
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "masters"))
    (home / "id").unlink()
    key = Access(cluster).node("m1").key_file
    assert key.is_relative_to(tmp_path / "masters")
    assert key.read_text() == "content of id"
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_no_longer_named_is_taken_away_here_and_on_the_masters(
    cluster: Cluster, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("installer.running.accepted.ON_MASTERS", tmp_path / "masters")
    monkeypatch.setattr(SshNode, "arguments", lambda _, command: list(command))
    keep_given(cluster)
    masters, state = [Access(cluster).node("m1")], state_directory(cluster)
    hand_to(masters, "real", state, kept_names(cluster))
    theirs = tmp_path / "masters" / "real" / "given"
    (state / "given" / ".half.4711").touch()

    after = cluster.model_copy(update={"platform": cluster.platform.model_copy(update={"key_file": None})})
    gone = kept(cluster, f"{home}/portal.key")
    assert gone.is_file()
    hand_to(masters, "real", state)
    assert (theirs / gone.name).is_file(), "a run that failed takes nothing away"

    drop_given(after)
    assert {path.name for path in (state / "given").iterdir()} == kept_names(after)
    # A second machine, which never had the user's SSH key, must not take it from the masters.
    kept(after, f"{home}/id").unlink()
    hand_to(masters, "real", state, kept_names(after))
    assert {path.name for path in theirs.iterdir()} == kept_names(after)
    assert len(kept_names(after)) == 2 * (len(NAMES) - 1)


def test_a_master_that_does_not_answer_keeps_no_other_from_its_files(
    cluster: Cluster, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("installer.running.accepted.ON_MASTERS", tmp_path / "masters")
    monkeypatch.setattr(
        SshNode, "arguments", lambda node, command: ["sh", "-c", "exit 255"] if node.name == "off" else list(command)
    )
    keep_given(cluster)
    master = Access(cluster).node("m1")
    with pytest.raises(NodeUnreachable, match="off"):
        hand_to([replace(master, name="off"), master], "real", state_directory(cluster))
    assert any((tmp_path / "masters" / "real" / "given").iterdir())
