"""The rules of a master under a crowd: who comes alone with too much is limited, and nobody else is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from installer.cluster import reference

from .test_firewall import OWN_NAME_SPACE, rules

__all__ = ["rules"]

MOST = reference().firewall.connections_per_address
RATE, BURST = 500, 2000


def test_one_address_takes_no_connections_and_no_answers_from_all_others(rules: dict[str, str]) -> None:
    more = MOST + 40
    program = str(Path(__file__).with_name("crowded.py"))
    argv = [*OWN_NAME_SPACE, sys.executable, program, str(more), "8000"]
    done = subprocess.run(argv, input=rules["master1"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["stranger"] == found["other"] == MOST
    assert found["node"] == more, "a node asks for many"
    assert found["stranger again"] == 10, "what was closed counts no more"
    assert BURST <= found["asked"]["pod"] <= BURST + RATE * found["took_s"] + 100
    assert found["asked"]["pod2"] == 10
