"""Objects of third parties: the kustomization inside a program's own Go module, rendered by the kubectl we built.

Each is put through an overlay of `platform/packaging/<program>/manifests/`, when there is one: our image names, and
what the cluster does itself (webhook certificates).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from installer.bundle.errors import BundleError
from installer.bundle.execution import Report, environment, output_of
from installer.bundle.lock import Manifest, Program
from installer.bundle.outputs import Output, tree_digests
from installer.bundle.programs import module_directory, module_source
from installer.bundle.toolchain import Toolchain

OVERLAY = "manifests"


def manifest_inputs(tree: Path, manifest: Manifest, program: Program) -> dict[str, object]:
    """Return everything that the rendered objects depend on."""
    overlay = _overlay(tree, manifest)
    return {
        "recipe": 1,
        "path": manifest.path,
        "version": program.version,
        "sums": tree_digests(module_directory(tree, manifest.program, program) / "go.sum"),
        "overlay": tree_digests(overlay) if overlay.exists() else {},
    }


def render(
    tree: Path,
    toolchain: Toolchain,
    name: str,
    manifest: Manifest,
    program: Program,
    kubernetes: Output,
    into: Path,
    version: str,
    report: Report,
) -> None:
    """Write `<name>.yaml` into the folder `into`; `{version}` in an overlay becomes the version of the tree."""
    report("fetching its module")
    source = module_source(tree, toolchain, manifest.program, program, report)
    overlay = _overlay(tree, manifest)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=into.parent) as folder:
        work = Path(folder)
        shutil.copytree(source / manifest.path.split("/")[0], work / "upstream" / manifest.path.split("/")[0])
        make_writable(work)
        start = work / "upstream" / manifest.path
        if overlay.exists():
            shutil.copytree(overlay, work / "overlay")
            start = work / "overlay"
        kubectl = work / "kubectl"
        kubectl.symlink_to(kubernetes.path("kubernetes"))
        report("rendering")
        text = output_of([kubectl, "kustomize", start], env=environment())
    if "kind:" not in text:
        raise BundleError(f"the kustomization of {name} rendered nothing", f"Look at {source / manifest.path}.")
    (into / f"{name}.yaml").write_text(text.replace("{version}", version))


def _overlay(tree: Path, manifest: Manifest) -> Path:
    return tree / "platform" / "packaging" / manifest.program / OVERLAY


def make_writable(folder: Path) -> None:
    """Make a copy of a Go module (its files are read-only) removable."""
    for directory, _names, _files in os.walk(folder):
        Path(directory).chmod(0o755)
