"""Installs the packages of a lock into the environment of the Python that runs this file: `python_packages.py LOCK`.

By uv where the lock pins it: half a minute of a core for what takes pip more than one, and of both cores. pip gets uv
and does the rest too wherever uv fails or pip has settings that uv has no word for. Byte code is made with it: where
PYTHONDONTWRITEBYTECODE is set, each start would compile again. `./atoll` runs this before there is any package.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

# The names of pip's settings in uv's words; None for what changes nothing about the packages that come.
WORDS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "cert": "SSL_CERT_FILE",
    "trusted-host": "UV_INSECURE_HOST",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "timeout": "UV_HTTP_TIMEOUT",
    "cache-dir": None,
    "compile": None,
    "disable-pip-version-check": None,
    "no-color": None,
    "no-input": None,
    "no-python-version-warning": None,
    "no-warn-script-location": None,
    "progress-bar": None,
    "quiet": None,
    "retries": None,
    "root-user-action": None,
}


def settings_of_pip(listed: str) -> dict[str, str]:
    """Return what `pip config list` says of installing, by name; the environment goes before files."""
    found = re.findall(r"^(global|install|:env:)\.([\w-]+)='(.*)'$", listed, re.MULTILINE)
    order = ("global", "install", ":env:")
    return {name: value for _, name, value in sorted(found, key=lambda each: order.index(each[0]))}


def in_words_of_uv(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str] | None:
    """Return pip's settings as variables for uv, which does not read pip's; what `environment` says to uv itself stays.

    None when one of them has no word in uv.
    """
    if not settings.keys() <= WORDS.keys():
        return None
    words = {word: value.replace("\\n", " ").strip() for name, value in settings.items() if (word := WORDS[name])}
    return {word: value for word, value in words.items() if word not in environment}


def pinned(lock: str, name: str) -> str:
    """Return the entry of a package in a lock, with its hashes; "" when the lock lacks it."""
    entry = re.search(rf"^{re.escape(name)}==(?:.*\\\n)*.*$", lock, re.MULTILINE)
    return f"{entry[0]}\n" if entry else ""


def _pip(*argv: str | Path) -> list[str]:
    return [sys.executable, "-m", "pip", *map(str, argv)]


def _install(lock: Path) -> list[str]:
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    return _pip("install", *quiet, "--require-hashes", "-r", lock)


def _by_uv(lock: Path) -> bool:
    entry = pinned(lock.read_text(encoding="utf-8"), "uv")
    if not entry:
        return False
    listed = subprocess.run(_pip("config", "list"), capture_output=True, text=True, check=False).stdout
    words = in_words_of_uv(settings_of_pip(listed), os.environ)
    if words is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        only = Path(folder, "uv.txt")
        only.write_text(entry, encoding="utf-8")
        if subprocess.run(_install(only), capture_output=True, check=False).returncode:
            return False
    uv = str(Path(sys.executable).with_name("uv"))
    told = (
        "--no-config",
        "--quiet",
        "--compile-bytecode",
        "--require-hashes",
        "--python",
        sys.executable,
        "-r",
        str(lock),
    )
    done = subprocess.run([uv, "pip", "install", *told], env={**os.environ, **words}, capture_output=True, check=False)
    return done.returncode == 0


def main(lock: Path) -> int:
    """Install the packages of the lock and return the exit code; what went wrong is told by pip."""
    return 0 if _by_uv(lock) else subprocess.run(_install(lock), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
