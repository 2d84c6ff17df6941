"""A canary: the generated secrets are looked for wherever they must not be."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.system.command_lines import CommandLines
from tests.system.harness import ROOT, SCRATCH, Atoll


def _values(data: Any) -> list[str]:
    if isinstance(data, dict):
        return [value for inner in data.values() for value in _values(inner)]
    if isinstance(data, list):
        return [value for inner in data for value in _values(inner)]
    return [str(data)] if isinstance(data, str) and len(data) >= 12 else []


def _secrets(atoll: Atoll) -> list[str]:
    found = _values(yaml.safe_load((atoll.state / "secrets.yaml").read_text("utf-8")))
    keys = list((atoll.state / "pki").rglob("*.key"))
    # The middle of a private key is as telling as the whole and has no line ends in it.
    found += [path.read_text("utf-8").splitlines()[1] for path in keys]
    found.append((atoll.state / "ssh" / "id_ed25519").read_text("utf-8").splitlines()[1])
    assert len(found) > 8, "the canary has nothing to look for"
    return found


def _holding(paths: list[Path], secrets: list[str]) -> list[str]:
    found = []
    for path in paths:
        content = path.read_bytes()
        found += [str(path) for secret in secrets if secret.encode() in content]
    return found


def test_no_journal_and_no_artifact_of_a_run_holds_a_secret(atoll: Atoll) -> None:
    files = [path for path in (atoll.state / "runs").rglob("*") if path.is_file()]
    assert files
    assert _holding(files, _secrets(atoll)) == []


def test_only_files_for_root_hold_secrets_in_the_state(atoll: Atoll) -> None:
    secrets = _secrets(atoll)
    files = [path for path in SCRATCH.rglob("*") if path.is_file() and "lab" not in path.parts]
    readable = [path for path in files if path.stat().st_mode & 0o077]
    assert _holding(readable, secrets) == []


def test_no_log_of_a_node_and_no_process_list_holds_a_secret(atoll: Atoll) -> None:
    secrets = _secrets(atoll)
    for node in ("master1", "worker1", "worker2", "storage1"):
        log = atoll.node(node, "journalctl", "--no-pager", "-q").out
        logs = atoll.node(node, "sh", "-c", "cat /var/log/pods/*/*/*.log 2>/dev/null || true").out
        processes = atoll.node(node, "ps", "-eo", "args", "-ww").out
        for what, text in (("journal", log), ("pod logs", logs), ("process list", processes)):
            held = [secret[:4] + "…" for secret in secrets if secret in text]
            assert held == [], f"{node}: its {what} holds secrets"


def test_no_command_that_ran_meanwhile_had_a_secret_among_its_arguments(
    atoll: Atoll, command_lines: CommandLines
) -> None:
    assert command_lines.seen
    assert command_lines.holding(_secrets(atoll)) == []


def test_the_repository_holds_no_secret(atoll: Atoll) -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]
    assert _holding(files, _secrets(atoll)) == []
