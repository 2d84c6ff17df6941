"""The nginx of the gateway's image, started with the configuration that the role writes."""

from __future__ import annotations

import contextlib
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from installer.bundle import debian_lock
from installer.bundle.debian import Archive, Gone, Package
from installer.cluster.places import cache_directory

from .conftest import TREE, Rendered

Change = tuple[str, str | Callable[[re.Match[str]], str]]


def configuration(rendered: Rendered) -> str:
    text: str = rendered.one("ConfigMap", "gateway-config")["data"]["gateway.conf"]
    return text


@pytest.fixture(scope="session")
def nginx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages that the gateway's image is made of, unpacked and not installed."""
    lock = debian_lock.load(TREE, cache_directory(), locked=False)
    archive = Archive(tmp_path_factory.mktemp("debian"), lock.release, "amd64")
    wanted = [p for p in lock.packages("amd64", "layer/nginx") if p.name in ("nginx", "nginx-common")]
    try:
        files = archive.fetch(wanted, print)
    except Gone:  # the archive has a newer one, which a bundle of today would have, too
        archive.refresh(print)
        index = archive.index()
        found = [index[key] for key in archive.closure(["nginx-light"]) if key[0] in ("nginx", "nginx-common")]
        newer = [
            Package(
                f["Package"], f["Version"], f["Architecture"], int(f["Size"]), f["SHA256"], f["Suite"], f["Filename"]
            )
            for f in found
        ]
        files = archive.fetch(newer, print)
    root = tmp_path_factory.mktemp("nginx")
    for file in files.values():
        subprocess.run(["dpkg-deb", "--extract", file, root], check=True)
    return root


@contextlib.contextmanager
def started(nginx: Path, text: str, folder: Path, *changes: Change) -> Iterator[int]:
    """The process id of a gateway that listens on sockets in `folder`, as `s8443`; each change must find its place."""
    for pattern, put in (
        *changes,
        (r"listen \[::\]:.*", ""),
        (r"/etc/nginx/", f"{nginx}/etc/nginx/"),
        (r"/tmp/(?=[a-z.]+;)", f"{folder}/"),
        (r"/dev/std(out|err)", f"{folder}/log"),
    ):
        text, times = re.subn(pattern, put, text)
        assert times, pattern
    (folder / "gateway.conf").write_text(text)
    argv: list[str | Path] = [nginx / "usr/sbin/nginx", "-p", folder, "-c", folder / "gateway.conf"]
    # As root its workers become nobody, who reads none of our folders; in its pod it is not root.
    process = subprocess.Popen([*argv, "-e", folder / "log", "-g", "daemon off; user root;"])
    try:
        deadline = time.monotonic() + 10
        while not (folder / "s8443").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        yield process.pid
    finally:
        process.terminate()
        process.wait()
