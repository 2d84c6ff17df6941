"""Runs the machine's own programs (ip, mount, debootstrap, …) and turns a failure into a readable error."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from installer.lab.errors import LabError, remedy_of


def command(
    *argv: str | Path,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    timeout_s: float = 60,
    accept: Sequence[int] = (0,),
) -> str:
    """Run a program and return what it printed. Raises LabError with its last lines on any exit code not accepted."""
    words = [str(word) for word in argv]
    try:
        done = subprocess.run(
            words, input=stdin, capture_output=True, text=True, errors="replace", env=env, timeout=timeout_s
        )
    except FileNotFoundError as error:
        raise LabError(
            f"{words[0]} is not installed on this machine",
            "run `./atoll preflight --install`, which installs the Debian packages that the lab needs",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise LabError(f"`{' '.join(words)}` did not end within {timeout_s:.0f} s", "see what it waits for") from error
    if done.returncode not in accept:
        said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise LabError(f"`{' '.join(words)}` failed with exit code {done.returncode}: {said}", remedy_of(said))
    return done.stdout


def start(argv: Sequence[str | Path], log: Path, env: Mapping[str, str]) -> None:
    """Start a program that outlives this one, in a session of its own, with its output in a new log."""
    log.unlink(missing_ok=True)
    # setsid --fork hands it to init: nobody here waits for it, and no signal to this process's group reaches it.
    with log.open("w", encoding="utf-8") as output:
        subprocess.run(
            ["setsid", "--fork", *map(str, argv)],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=dict(env), cwd="/", check=True, timeout=30,
        )  # fmt: skip
