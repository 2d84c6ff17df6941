"""After `--check`: nothing has changed since the step before it, on the node and on the control host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

MARK = "/run/atoll-rehearsal"
# What running services write by themselves.
OTHERS = ("/var/lib/systemd", "/var/lib/containerd")


def test_a_rehearsal_leaves_the_node_as_it_was(host: Any) -> None:
    but = " -o ".join(f"-path {path}" for path in OTHERS)
    places = "/etc /opt /srv /usr /var/lib"
    assert host.check_output(rf"find {places} -xdev \( {but} \) -prune -o -newercm {MARK} -print") == ""


def test_a_rehearsal_makes_no_certificate(host: Any, pki: Path) -> None:
    marked = float(host.check_output(f"stat --format %.9Y {MARK}"))
    kept = [path for path in pki.rglob("*") if path.suffix in {".crt", ".key", ".pub", ".json"}]
    assert [path for path in kept if path.stat().st_mtime > marked] == []
