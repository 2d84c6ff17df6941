"""Filling layers: each way that `platform/images/layers.yaml` knows."""

from __future__ import annotations

import compileall
import os
import py_compile
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installer.bundle import roots
from installer.bundle.debian import Package
from installer.bundle.errors import BundleError
from installer.bundle.execution import Report, environment, output_of, run
from installer.bundle.layer_archive import LAYER, pack, unpack
from installer.bundle.lock import Layer
from installer.bundle.outputs import Output
from installer.bundle.python_records import describe_what_is_there
from installer.bundle.repository import place
from installer.bundle.toolchain import Toolchain

# Where Python packages of images lie; PYTHONPATH of the images names it.
PYTHON = "opt/atoll/python"
PROGRAMS = "usr/local/bin"
ACCOUNTS = {
    "etc/passwd": "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}
IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", "node_modules", "dist", ".molecule", "tests")
SHEBANG = re.compile(rb"\A#!.*python[0-9.]*\n")
PLATFORM = {"amd64": "x86_64-manylinux_2_36", "arm64": "aarch64-manylinux_2_36"}


@dataclass(frozen=True)
class Filling:
    """What a layer is filled from: the layers below, the programs and packages that it names."""

    tree: Path
    toolchain: Toolchain
    architecture: str
    release: str
    below: Sequence[Output]
    programs: Mapping[str, Output]
    packages: Mapping[Package, Path]
    portal: Output | None


def fill(name: str, layer: Layer, source: Filling, into: Path, facts: dict[str, Any], report: Report) -> None:
    """Make the layer and write it to the folder `into`; its digests become facts of the output."""
    with tempfile.TemporaryDirectory(prefix=".making-", dir=into.parent) as folder:
        work = Path(folder)
        work.chmod(0o755)
        root = work / "root-of-layer"
        if layer.bootstrap:
            report("unpacking and configuring a minimal Debian")
            roots.bootstrap(source.release, source.architecture, source.packages, root, work, report)
            roots.keep_empty_folders(root)
        else:
            root.mkdir()
        lower = _lower(source.below, work, report) if layer.packages or layer.requirements else []
        if layer.packages:
            roots.install(lower, source.packages, root, work, report)
        for package in sorted(source.packages) if layer.unpacked else []:
            run(["dpkg-deb", "--extract", source.packages[package], root], report)
            roots.slim(root)
        if layer.requirements:
            _install_python(layer, source, root, report)
        _remove(name, layer, root)
        roots.compile_python(lower, root, work, report)
        _put(layer, source, root)
        if layer.check:
            report("trying it")
            checked = ["env", f"PYTHONPATH=/{PYTHON}", "/usr/bin/python3", "-c", layer.check]
            roots.within([*lower, root], work / "scratch", work / "checking", checked, report)
        report("packing the layer")
        packed = pack(root, into, _owner(layer))
    facts |= {"digest": packed.digest, "diff_id": packed.diff_id, "bytes": packed.bytes}


def _owner(layer: Layer) -> tuple[int, int] | None:
    # Packages and a bootstrapped root have owners of their own; all else belongs to whom the recipe says.
    if layer.bootstrap or layer.packages:
        return None
    uid, gid = layer.owner.split(":")
    return int(uid), int(gid)


def _lower(below: Sequence[Output], work: Path, report: Report) -> list[Path]:
    folders = []
    for number, output in enumerate(below):
        folder = work / f"lower-{number}"
        unpack(output.path(LAYER), folder, report)
        folders.append(folder)
    return folders


def _install_python(layer: Layer, source: Filling, root: Path, report: Report) -> None:
    requirements = source.tree / "requirements" / f"{layer.requirements}.txt"
    target = root / PYTHON
    argv: list[str | Path] = [
        source.toolchain.programs / "uv", "pip", "install", "--no-config", "--quiet", "--link-mode", "copy",
        "--require-hashes", "-r", requirements, "--target", target,
        "--python", sys.executable, "--python-version", "3.11", "--python-platform", PLATFORM[source.architecture],
    ]  # fmt: skip
    if layer.sources:
        argv += ["--build-constraints", source.tree / "requirements" / "build.txt"]
        argv += [word for name in layer.sources for word in ("--no-binary", name)]
    else:
        argv += ["--only-binary", ":all:"]
    cache = {"UV_CACHE_DIR": str(source.toolchain.cache / "uv")}
    remedy = "Python packages come from the index of this machine's own pip settings; is it reachable?"
    run(
        argv,
        report,
        env=environment(cache | _index_settings(source.toolchain), path=[source.toolchain.programs]),
        remedy=remedy,
    )
    for script in (target / "bin").glob("*"):
        content = script.read_bytes()
        script.write_bytes(SHEBANG.sub(b"#!/usr/bin/python3\n", content))
    for junk in (*target.rglob("__pycache__"), *target.rglob("tests")):
        shutil.rmtree(junk, ignore_errors=not junk.exists())
    (target / ".lock").unlink(missing_ok=True)
    describe_what_is_there(target)


def _index_settings(toolchain: Toolchain) -> dict[str, str]:
    """Return pip's own index settings in uv's words: the machine configures pip, and uv does not read that."""
    listed = output_of([toolchain.programs / "python", "-m", "pip", "config", "list"])
    settings = dict(re.findall(r"^(?:global|install|:env:)\.([\w-]+)='(.*)'$", listed, re.MULTILINE))
    words = {"index-url": "UV_DEFAULT_INDEX", "extra-index-url": "UV_INDEX", "cert": "SSL_CERT_FILE"}
    return {
        variable: settings[name] for name, variable in words.items() if name in settings and variable not in os.environ
    }


def _put(layer: Layer, source: Filling, root: Path) -> None:
    if layer.accounts:
        (root / "etc").mkdir(exist_ok=True)
        for name, content in ACCOUNTS.items():
            (root / name).write_text(content)
    for directory, mode in layer.directories.items():
        folder = root / directory.lstrip("/")
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(int(mode, 8))
    for program, family in layer.programs.items():
        place(source.programs[family].path(program), root / PROGRAMS / program)
    for target, origin in layer.files.items():
        _copy(source.tree / origin, root / target.lstrip("/"))
    if layer.portal and source.portal:
        shutil.copytree(source.portal.path("portal"), root / layer.portal.lstrip("/"))
    for name, to in layer.links.items():
        link = root / name.lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(to)


def _copy(source: Path, target: Path) -> None:
    if not source.exists():
        raise BundleError(
            f"{source} is to go into an image, but is not in the tree", "See platform/images/layers.yaml."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        shutil.copyfile(source, target)
        target.chmod(0o755 if source.stat().st_mode & 0o111 else 0o644)
        return
    shutil.copytree(source, target, ignore=IGNORED)
    for path in [target, *target.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o111 else 0o644)
    if sys.version_info[:2] == (3, 11):
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(target, quiet=2, invalidation_mode=mode, stripdir=target, prependdir=f"/{target.name}")


def _remove(name: str, layer: Layer, root: Path) -> None:
    for pattern in layer.remove:
        found = sorted(root.glob(pattern.lstrip("/")))
        if not found:
            raise BundleError(
                f"layer `{name}`: nothing to remove at `{pattern}`", "Correct platform/images/layers.yaml."
            )
        for path in found:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
