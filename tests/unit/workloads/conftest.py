"""Plays the whole playbook for nodes that are not there: real inventory, actions, templates and certificates."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from . import bundle

HERE = Path(__file__).parent
TREE = HERE.parents[2]
SHAPES = TREE / "tests/shapes"
# Phases whose workloads act on their node: the network itself, and the provisioner of volumes. All others are pods.
ON_THEIR_NODE = {"network", "storage_client"}


@dataclass(frozen=True)
class RenderedFile:
    """A file as a node would get it; what comes from the bundle or the state has no text."""

    host: str
    phase: str
    dest: str
    text: str | None


class Rendered:
    """What the roles want, as they handed it to the modules that work on nodes."""

    def __init__(self, lines: Path, state: Path, verb: str = "deploy") -> None:
        self.root = lines.parent
        self.state = state
        self.calls: list[dict[str, Any]] = [json.loads(line) for line in lines.read_text().splitlines()]
        assert {call["verb"] for call in self.calls} == {"", verb}
        started = lines.with_name(f"{lines.name}.started").read_text()
        self.started: list[dict[str, str]] = [json.loads(line) for line in started.splitlines()]

    def of(self, module: str) -> list[dict[str, Any]]:
        return [call for call in self.calls if call["module"] == module]

    @property
    def records(self) -> list[tuple[str, str]]:
        """Phase and node of each record, in order: that of a task's argument, or of a task of its own."""
        found = [
            (call["args"] if call["module"] == "atoll_record" else call["args"].get("record"), call["host"])
            for call in self.calls
        ]
        return [(about["phase"], host) for about, host in found if about]

    @functools.cached_property
    def parts(self) -> dict[str, dict[str, Any]]:
        """What is applied by phase and part."""
        found = {}
        for call in self.of("atoll_objects"):
            name = f"{call['args']['phase']}.{call['args'].get('part', 'main')}"
            assert name not in found, f"two tasks apply {name}: each would remove the other's objects"
            found[name] = {"objects": call["args"]["objects"], "wait": call["args"].get("wait") or []}
        return found

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """Labels that phase `accelerators` gives to nodes."""
        return {
            name: labels
            for call in self.of("atoll_node_labels")
            if call["phase"] == "accelerators"
            for name, labels in call["args"]["nodes"].items()
        }

    @property
    def files(self) -> list[RenderedFile]:
        return [
            RenderedFile(call["host"], call["phase"], file["dest"], file.get("content"))
            for call in self.of("atoll_files")
            for file in call["args"]["files"]
        ]

    def objects(self, *phases: str) -> list[dict[str, Any]]:
        return [item for name in phases or self.phases for item in self._objects.get(name, [])]

    @property
    def phases(self) -> list[str]:
        """Those that apply objects."""
        return list(self._objects)

    @functools.cached_property
    def _objects(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for name, part in self.parts.items():
            found.setdefault(name.split(".")[0], []).extend(part["objects"])
        return found

    def one(self, kind: str, name: str) -> dict[str, Any]:
        (found,) = [item for item in self.objects() if (item["kind"], item["metadata"]["name"]) == (kind, name)]
        return found

    def workloads(self, *phases: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield pods by the name of what makes them; without phases those of all that do not act on their node."""
        for item in self.objects(*(phases or [name for name in self.phases if name not in ON_THEIR_NODE])):
            if item["kind"] in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
                yield f"{item['kind']} {item['metadata']['name']}", item["spec"]["template"]


def render(cluster: Path, root: Path, playbook: str = "apply.yml", verb: str = "deploy") -> Rendered:
    """Play a playbook for a cluster.yaml, on no node."""
    lines = root / f"calls of {playbook}"
    made = root / "bundle"
    environment = os.environ | {
        "ANSIBLE_CONFIG": str(TREE / "ansible.cfg"),
        "ANSIBLE_ACTION_PLUGINS": f"{HERE / 'action_plugins'}:{TREE / 'plugins/action'}",
        "ANSIBLE_CALLBACK_PLUGINS": str(HERE / "callback_plugins"),
        "ANSIBLE_CALLBACKS_ENABLED": "written_down",
        "ANSIBLE_LOCAL_TEMP": str(root / "ansible"),
        "ATOLL_BUNDLE": str(made if made.exists() else bundle.write(made)),
        "ATOLL_STATE": str(root / "state"),
        "ATOLL_RENDERED": str(lines),
    }
    environment.pop("ATOLL_PLAN", None)
    program = Path(sys.executable).with_name("ansible-playbook")
    done = subprocess.run(
        [program, "-i", cluster, TREE / "playbooks" / playbook],
        cwd=TREE,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    (state,) = (path for path in (root / "state").iterdir())
    return Rendered(lines, state, verb)


REFERENCE = "reference"
Rendering = Callable[[str], Rendered]


def file_of(name: str) -> Path:
    """The cluster.yaml of a shape."""
    return TREE / "cluster.example.yaml" if name == REFERENCE else SHAPES / f"{name}.yaml"


@pytest.fixture(scope="session")
def rendering(tmp_path_factory: pytest.TempPathFactory) -> Rendering:
    """Plays `apply` for a shape, once in a session: that takes Ansible ten seconds."""

    @functools.cache
    def rendering(name: str) -> Rendered:
        return render(file_of(name), tmp_path_factory.mktemp(name))

    return rendering


@pytest.fixture(scope="session")
def rendered(rendering: Rendering) -> Rendered:
    """The reference topology."""
    return rendering(REFERENCE)
