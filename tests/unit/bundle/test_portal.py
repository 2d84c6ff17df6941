"""The portal's packages come from a registry that may not answer. Needs nothing."""

import gzip
import os
import time
from pathlib import Path

import pytest

from installer.bundle.errors import BundleError
from installer.bundle.execution import environment
from installer.bundle.portal import compress, install


def npm(folder: Path, script: str) -> Path:
    """A program in place of npm."""
    program = folder / "npm"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_a_registry_that_never_answers_is_told_with_what_a_private_authority_needs(tmp_path: Path) -> None:
    # As npm does: the one that hangs is a child, which holds the pipe.
    hanging = npm(tmp_path, "echo 'npm http fetch' ; sleep 60 & wait")
    began = time.monotonic()
    with pytest.raises(BundleError) as told:
        install(hanging, tmp_path, environment(), lambda _: None, limit_s=0.5)
    assert time.monotonic() - began < 20
    assert "was not done after" in str(told.value)
    assert "npm http fetch" in str(told.value)
    for way in ("NODE_EXTRA_CA_CERTS", "npm config set cafile"):
        assert way in str(told.value)


def test_what_npm_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    refusing = npm(tmp_path, "echo 'npm error code SELF_SIGNED_CERT_IN_CHAIN'; exit 1")
    with pytest.raises(BundleError, match="SELF_SIGNED_CERT_IN_CHAIN"):
        install(refusing, tmp_path, environment(), lambda _: None)


def test_npm_waits_for_an_answer_as_long_as_a_person_would_unless_the_person_says_otherwise(tmp_path: Path) -> None:
    telling = npm(tmp_path, 'echo "$npm_config_fetch_timeout"')
    said: list[str] = []
    install(telling, tmp_path, environment(), said.append)
    install(telling, tmp_path, environment({"npm_config_fetch_timeout": "9"}), said.append)
    assert said == ["60000", "9"]


def test_texts_lie_beside_their_compressed_form_which_depends_on_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    page, small, font = (tmp_path / "assets" / name for name in ("page.js", "small.js", "letters.woff2"))
    for file, size in ((page, 5000), (small, 100), (font, 5000)):
        file.write_bytes(b"x" * size)
    compress(tmp_path)
    made = tmp_path / "assets/page.js.gz"
    first = made.read_bytes()
    assert gzip.decompress(first) == page.read_bytes()
    assert {file.name for file in tmp_path.rglob("*.gz")} == {"page.js.gz"}
    os.utime(page, (1, 1))
    compress(tmp_path)
    assert made.read_bytes() == first
