"""The RECORD of an installed Python package (PEP 376, PEP 627) is what is there, wherever it was installed.

Installers write down the digest of a script with the path of the interpreter that installed it, which is another one
in each build: so what comes of the same packages would differ by that alone.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from pathlib import Path


def describe_what_is_there(packages: Path) -> None:
    """Write the RECORD of each package in a folder anew: without files that are gone, with the digests of the rest."""
    for record in sorted(packages.glob("*.dist-info/RECORD")):
        written = io.StringIO()
        lines = csv.writer(written, lineterminator="\n")
        for path, digest, size in csv.reader(record.read_text("utf-8").splitlines()):
            file = packages / path
            if not file.is_file():
                continue
            lines.writerow((path, *_digest(file)) if digest else (path, digest, size))
        record.write_text(written.getvalue(), "utf-8")


def _digest(file: Path) -> tuple[str, str]:
    content = file.read_bytes()
    hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"sha256={hashed}", str(len(content))
