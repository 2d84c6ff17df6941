"""What an installed package says of its files does not depend on where it was installed. Needs nothing."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from installer.bundle.python_records import describe_what_is_there


def installed(folder: Path, interpreter: str) -> Path:
    """A package as an installer leaves it, and what is then done to its script."""
    (folder / "bin").mkdir(parents=True)
    (folder / "idna").mkdir()
    (folder / "idna-3.dist-info").mkdir()
    script = f"#!{interpreter}\nimport idna\n".encode()
    (folder / "bin/idna").write_bytes(b"#!/usr/bin/python3\nimport idna\n")
    (folder / "idna/core.py").write_text("x = 1\n")
    hashed = base64.urlsafe_b64encode(hashlib.sha256(script).digest()).rstrip(b"=").decode()
    record = folder / "idna-3.dist-info/RECORD"
    record.write_text(
        f"bin/idna,sha256={hashed},{len(script)}\n"
        "idna/core.py,sha256=eKVgSX2Zj1cdSc8NqQ9wvXwYvlfSTzSxX9aHj_tnbc8,6\n"
        '"idna/with, comma.py",sha256=gone,1\n'
        "idna-3.dist-info/RECORD,,\n"
    )
    return record


def test_the_same_package_has_the_same_record_wherever_it_was_installed(tmp_path: Path) -> None:
    one, other = (installed(tmp_path / name, f"/builds/{name}/bin/python") for name in ("one", "other"))
    assert one.read_bytes() != other.read_bytes()
    for name in ("one", "other"):
        describe_what_is_there(tmp_path / name)
    assert one.read_bytes() == other.read_bytes()


def test_a_record_is_of_the_files_that_are_there(tmp_path: Path) -> None:
    record = installed(tmp_path, "/somewhere/python")
    describe_what_is_there(tmp_path)
    rows = [line.split(",") for line in record.read_text().splitlines()]
    assert [row[0] for row in rows] == ["bin/idna", "idna/core.py", "idna-3.dist-info/RECORD"]
    for path, digest, size in rows[:2]:
        content = (tmp_path / path).read_bytes()
        assert size == str(len(content))
        assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    assert rows[2][1:] == ["", ""]
