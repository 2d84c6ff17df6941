"""The root's key is taken offline and brought back by what docs/operate.md says. Needs openssl and shred."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.docs.table import places


def at_a_terminal(argv: list[str], folder: Path, answer: str) -> int:
    """Run a program that asks for a passphrase; each question gets the answer. Returns its exit code."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvp(argv[0], argv)  # noqa: S606 - it needs a terminal of its own
    with os.fdopen(terminal, "r+b", buffering=0) as asking:
        line = b""
        while True:
            try:
                said = asking.read(1)
            except OSError:  # the program ended, and with it the terminal
                break
            line = b"" if said == b"\n" else line + said
            if line.endswith(b":") and b"assword" in line:
                asking.write(f"{answer}\n".encode())
                line = b""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_the_roots_key_is_taken_offline_and_brought_back(module_utility: Any, tmp_path: Path) -> None:
    away = "openssl pkcs8 -topk8 -v2 aes-256-cbc -in pki/ca.key -out ca.key.encrypted"
    gone = "shred -u pki/ca.key"
    back = "openssl pkcs8 -in ca.key.encrypted -out pki/ca.key"
    assert {away, gone, back} <= set(places()), "the page says something else now"
    authority = module_utility("atoll_authority")
    root, key = authority.Pki(tmp_path / "pki", "demo"), tmp_path / "pki/ca.key"
    root.authority("registry")
    assert at_a_terminal(away.split(), tmp_path, "correct horse") == 0
    assert "ENCRYPTED" in (tmp_path / "ca.key.encrypted").read_text()
    subprocess.run(gone.split(), cwd=tmp_path, check=True)
    assert not key.exists()
    with pytest.raises(authority.AuthorityError, match="Bring it back"):
        root.authority("gateway")

    assert at_a_terminal(back.split(), tmp_path, "a wrong one") != 0
    assert at_a_terminal(back.split(), tmp_path, "correct horse") == 0
    assert key.stat().st_mode & 0o077 == 0, "it is its owner's alone"
    signed, _ = root.authority("gateway")
    signed.verify_directly_issued_by(root.authority("")[0])
