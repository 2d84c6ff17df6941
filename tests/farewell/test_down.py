"""`down` leaves nothing behind: no mount, name space, bridge, rule, process or cgroup."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

SYSTEM = Path("/var/lib/atoll/test")
ROOT = Path(__file__).resolve().parents[2]


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def rules() -> str:
    """Every rule of this machine's firewall; `iptables` is not everywhere."""
    return output("nft", "list", "ruleset") + (output("iptables-save") if shutil.which("iptables-save") else "")


@pytest.mark.timeout(300)
def test_down_leaves_nothing_behind() -> None:
    file = SYSTEM / "cluster.yaml"
    cluster = yaml.safe_load(file.read_text("utf-8"))
    bridge, name = cluster["lab"]["bridge"], cluster["name"]
    lab = f"/var/lib/atoll/lab/{name}"
    assert bridge in output("ip", "-br", "link"), "there is no lab to take down"
    environment = {
        "ATOLL_STATE": str(SYSTEM / "clusters"),
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    }
    down = subprocess.run(
        [str(ROOT / "atoll"), "down", "-f", str(file), "--yes"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    assert down.returncode == 0, down.stdout + down.stderr
    assert bridge not in output("ip", "-br", "link")
    assert not [line for line in output("ip", "netns").splitlines() if name in line.split()[0].split("-")]
    assert lab not in Path("/proc/mounts").read_text("utf-8")
    assert bridge not in rules()
    assert not Path(lab).exists()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            root, line = str((entry / "root").readlink()), (entry / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        assert lab not in root + line, f"process {entry.name} is left: {line}"
    left = [path for path in Path("/sys/fs/cgroup").glob(f"*/atoll-lab/{name}") if path.is_dir()]
    assert left == []
