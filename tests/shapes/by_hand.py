"""The playbook as somebody runs it who knows Ansible and nothing of `./atoll`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.system.harness import ROOT, Atoll

COUNTED = re.compile(r"^(\S+) +: ok=(\d+) +changed=(\d+) +unreachable=(\d+) +failed=(\d+)", re.MULTILINE)


def played(atoll: Atoll, *options: str) -> dict[str, tuple[int, ...]]:
    """`ansible-playbook -i cluster.yaml playbooks/apply.yml`: of each node what was ok, changed, out of reach, failed.

    Without a plan every phase runs on each node where it belongs.
    """
    program = Path(sys.executable).with_name("ansible-playbook")
    environment = {name: value for name, value in atoll.environment.items() if not name.startswith("ANSIBLE_")}
    done = subprocess.run(
        [str(program), "-i", str(atoll.file), "playbooks/apply.yml", *options],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return {node: tuple(map(int, counts)) for node, *counts in COUNTED.findall(done.stdout)}
