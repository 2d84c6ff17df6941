"""Modules say what they take, to `ansible-doc` too; what several of them take is said once (plugins/doc_fragments)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import TREE

MODULES = sorted((TREE / "plugins/modules").glob("atoll_*.py"))
SHARED = ("Atoll's state on the node.", "put the phase on record behind it")


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """What `ansible-doc` makes of every module."""
    program = Path(sys.executable).with_name("ansible-doc")
    asked = [str(program), "-t", "module", "-j", *(file.stem for file in MODULES)]
    environment = {**os.environ, "ANSIBLE_CONFIG": str(TREE / "ansible.cfg")}
    done = subprocess.run(asked, cwd=TREE, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.stem)
def test_ansible_doc_shows_a_module_with_the_options_that_it_shares(file: Path, told: dict[str, Any]) -> None:
    doc, text = told[file.stem]["doc"], file.read_text(encoding="utf-8")
    assert doc["short_description"]
    assert not [shared for shared in SHARED if shared in text], "said by a fragment of plugins/doc_fragments"
    options = doc.get("options", {})
    assert ("state_directory" in options) == ("COMMON_ARGUMENTS" in text)
    records = "**RECORD_ARGUMENTS" in text or file.stem == "atoll_push"  # which is an action alone
    assert ("record" in options) == records
    if "record" in options:
        assert options["record"]["suboptions"]["input_hash"]["required"] is True
