"""A node that somebody has taken over answers Ansible as it likes: nothing of the control host comes to it by that.

With the real Ansible, our actions and our settings; `ssh` is a program that keeps what it gets and says what is given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import TREE
from installer.running import playbook as running

CANARY = "-----BEGIN EC PRIVATE KEY----- of the authority"
SSH = """#!{python}
import pathlib, sys
heard = sys.stdin.buffer.read() if not sys.stdin.isatty() else b""
with open({log!r}, "ab") as log:
    log.write(" ".join(sys.argv[1:]).encode() + b"\\n" + heard + b"\\n")
line = sys.argv[-1]
says = {{"echo ~": "/root", "mkdir": "folder=/root/folder"}}
print(next((word for key, word in says.items() if key in line), pathlib.Path({answer!r}).read_text()))
"""
HOST = {"os": {"directory": "debian12", "id": "debian", "version": "12"}, "architecture": "amd64"}
BLOB = "sha256:" + "1" * 64


class Rogue:
    """A control host with a secret, and a node that says `answer` to everything; `heard` is what came to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state, self.bundle = folder / "state", folder / "bundle"
        for key in ("pki/ca.key", "pki/nodes/worker1.key"):
            (self.state / key).parent.mkdir(parents=True, exist_ok=True)
            (self.state / key).write_text(CANARY if key == "pki/ca.key" else "of worker1")
        self._bundle()
        self.log, self.answer = folder / "heard", folder / "answer.json"
        ssh = folder / "ssh"
        ssh.write_text(SSH.format(python=sys.executable, log=str(self.log), answer=str(self.answer)))
        ssh.chmod(0o755)
        node = "{'name': 'worker1', 'arch': 'amd64'}"
        (folder / "inventory").write_text(
            f'worker1 ansible_host=192.0.2.9 ansible_ssh_executable={ssh} atoll_node="{node}"\n'
            f"[all:vars]\natoll_state={self.state}\natoll_bundle={self.bundle}\n"
        )

    def _bundle(self) -> None:
        packages = self.bundle / "os/debian12/amd64"
        packages.mkdir(parents=True)
        (packages / "Packages").write_text("Package: one\nVersion: 1\nFilename: ./one.deb\n\n")
        (packages / "groups.json").write_text('{"host": ["one"]}')
        (packages / "closures.json").write_text('{"host": ["one.deb"]}')
        (packages / "one.deb").write_text("a package")
        images = self.bundle / "images"
        (images / "amd64/blobs/sha256").mkdir(parents=True)
        name = "registry.k8s.io/pause:1"
        (images / "index.json").write_text(json.dumps({name: {"set": "base"}}))
        described = {"mediaType": "m", "digest": BLOB, "size": 1}
        named = {**described, "annotations": {"org.opencontainers.image.ref.name": name}}
        (images / "amd64/index.json").write_text(json.dumps({"manifests": [named]}))
        manifest = {"config": {"digest": BLOB}, "layers": []}
        (images / "amd64/blobs" / BLOB.replace(":", "/")).write_text(json.dumps(manifest))

    def play(self, answer: dict[str, Any], *tasks: dict[str, Any]) -> str:
        """Play tasks on the node; return what Ansible says."""
        self.answer.write_text(json.dumps({"changed": False, **answer}))
        play = [{"hosts": "all", "gather_facts": False, "tasks": [*tasks]}]
        (self.folder / "play.yml").write_text(json.dumps(play))
        done = subprocess.run(
            [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "inventory", "play.yml"],
            cwd=self.folder,
            env={
                **os.environ,
                "ANSIBLE_CONFIG": str(TREE / "ansible.cfg"),
                "ANSIBLE_LOCAL_TEMP": str(self.folder / "tmp"),
                "ANSIBLE_SSH_TRANSFER_METHOD": "piped",
                "ANSIBLE_SSH_RETRIES": "0",
            },
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.stdout + done.stderr

    @property
    def heard(self) -> str:
        return self.log.read_text("utf-8", "replace")


@pytest.fixture
def rogue(tmp_path: Path) -> Rogue:
    return Rogue(tmp_path)


def test_a_nodes_facts_are_no_variables_and_name_no_other_key(rogue: Rogue) -> None:
    key = {"dest": "/etc/own.key", "src": "{{ atoll_state }}/pki/nodes/{{ atoll_node.name }}.key"}
    facts = {"atoll_node": {"name": "../ca"}}
    said = rogue.play(
        {"ansible_facts": facts, "needed": []},
        {"atoll_units": {"phase": "demo", "units": []}},
        {"atoll_files": {"phase": "demo", "files": [key]}},
    )
    assert CANARY not in rogue.heard
    assert "of worker1" in rogue.heard, said
    assert running._environment(running.Playbook(Path("p"), Path("i"), {}), "r")["ANSIBLE_INJECT_FACT_VARS"] == "False"


OF_ANY_MODULE: list[dict[str, Any]] = [
    {"atoll_units": {"phase": "demo", "units": []}},
    {"ansible.builtin.slurp": {"src": "/etc/hostname"}},
    {"atoll_files": {"phase": "demo", "files": [{"dest": "/a", "content": "b"}]}},
    {"atoll_packages": {"groups": ["host"]}},
    {"atoll_images": {"set": "base"}},
    {"atoll_objects": {"manifests": ["{apiVersion: v1, kind: Namespace, metadata: {name: demo}}"]}},
]


def test_what_a_node_says_is_kept_only_where_it_is_asked_for_facts(rogue: Rogue) -> None:
    answer = {"ansible_facts": {"atoll_host": HOST, "more": "of it"}, "staged": {}}
    kept = {"ansible.builtin.debug": {"msg": "kept: {{ ansible_facts.more | default('nothing') }}"}}
    said = rogue.play(answer, *OF_ANY_MODULE, kept)
    assert "kept: nothing" in said
    assert "ok=7" in said, said
    assert "kept: of it" in rogue.play(answer, {"atoll_facts": {}}, kept)


def test_a_node_that_lets_us_in_and_says_nothing_is_given_up(rogue: Rogue, monkeypatch: pytest.MonkeyPatch) -> None:
    (rogue.folder / "ssh").write_text("#!/bin/sh\nexec sleep 60\n")
    ours = running._environment(running.Playbook(Path("p"), Path("i"), {}), "r")
    assert 0 < int(ours["ANSIBLE_TASK_TIMEOUT"]) <= 7200, "a silent node holds up a run for ever"
    monkeypatch.setenv("ANSIBLE_TASK_TIMEOUT", "2")
    assert "imed out" in rogue.play({}, {"atoll_units": {"phase": "demo", "units": []}})


LEADS_OUT = "../../../../state/pki/ca.key"
ASKING: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"ansible_facts": {"atoll_host": HOST}, "needed": [LEADS_OUT]}, {"atoll_packages": {"groups": ["host"]}}),
    ({"ask": True, "needed": [LEADS_OUT]}, {"atoll_images": {"set": "base"}}),
    ({"needed": [LEADS_OUT]}, {"atoll_files": {"phase": "demo", "files": [{"dest": "/a", "content": "b"}]}}),
]


@pytest.mark.parametrize(("answer", "task"), ASKING, ids=["packages", "images", "files"])
def test_a_node_gets_what_it_was_offered_and_nothing_else(
    rogue: Rogue, answer: dict[str, Any], task: dict[str, Any]
) -> None:
    said = rogue.play(answer, task)
    assert CANARY not in rogue.heard
    assert "which it was not offered" in said
    absolute = {**answer, "needed": [str(rogue.state / "pki/ca.key")]}
    assert "which it was not offered" in rogue.play(absolute, task)
    assert CANARY not in rogue.heard


def test_a_nodes_system_is_a_word_and_no_path(rogue: Rogue) -> None:
    said = rogue.play(
        {"ansible_facts": {"atoll_host": {**HOST, "os": {"directory": "../os/debian12"}}}, "needed": ["one.deb"]},
        {"atoll_packages": {"groups": ["host"]}},
    )
    assert "which names none" in said
    assert "a package" not in rogue.heard


def test_an_honest_node_gets_its_package_so(rogue: Rogue) -> None:
    """Else the silence of before says nothing."""
    rogue.play(
        {"ansible_facts": {"atoll_host": HOST}, "needed": ["one.deb"]},
        {"atoll_packages": {"groups": ["host"]}},
    )
    assert "a package" in rogue.heard
